#!/usr/bin/env bash
# Plays the first legal move that the hub lists.
while IFS=$' \t\r' read -r word first _; do
  case $word in
    ugi) printf '%s\n' 'id name tiny-bash' 'protocol 1 legal' ugiok ;;
    isready) echo readyok ;;
    legal) move=$first ;;
    go) echo "bestmove $move" ;;
    quit) break ;;
  esac
done
