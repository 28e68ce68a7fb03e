#!/bin/sh
# Builds the bot in the folder $1, if it has a Makefile. The commands have no network, and can change only this folder.
if [ -L "$1" ]; then exit 0; fi
folder=$(realpath "$1")
if [ -f "$1/Makefile" ]; then
    timeout 300 bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --bind "$folder" "$folder" \
        --chdir "$folder" --unshare-all --die-with-parent --new-session make || exit
fi
# A program that was added on Windows cannot be executed yet.
if [ -f "$1/engine" ]; then chmod +x "$1/engine"; fi
