#!/bin/sh
# Builds the bot in the folder $1, if it has a Makefile. The commands see the system's programs and this folder, which alone they can
# change. They see no network, home folder, socket or variable of this machine.
if [ -L "$1" ]; then exit 0; fi
folder=$(realpath "$1")
if [ -f "$1/Makefile" ]; then
    system=
    for path in /usr /bin /sbin /lib /lib32 /lib64 /libx32 /etc /opt; do system="$system --ro-bind-try $path $path"; done
    timeout 300 env --ignore-environment PATH="$PATH" HOME=/tmp \
        bwrap $system --dev /dev --proc /proc --tmpfs /tmp --bind "$folder" "$folder" \
        --chdir "$folder" --unshare-all --die-with-parent --new-session \
        prlimit --core=0 --data=2147483648 --nproc=256 make || exit
fi
# A program that was added on Windows cannot be executed yet.
if [ -f "$1/engine" ]; then chmod +x "$1/engine"; fi
if [ -d "$1" ] && [ ! -f "$1/engine" ] && [ ! -f "$1/engine.py" ]; then
    echo "$1 has no file engine.py, no program engine, and no Makefile that makes engine"
    exit 1
fi
