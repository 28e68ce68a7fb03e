#!/bin/sh
# Plays a random legal move. The hub lists them before each `go`. mawk reads by line with this option only.
case $(awk -W version </dev/null 2>&1) in mawk*) lines='-W interactive' ;; esac
exec awk $lines '
  BEGIN             { srand() }
                    { sub(/\r$/, "") }
  $1 == "ugi"       { print "id name tiny-awk\nprotocol 1 legal\nugiok" }
  $1 == "isready"   { print "readyok" }
  $1 == "legal"     { count = 0 }
  $1 ~ /^legal\+?$/ { for (i = 2; i <= NF; i++) move[count++] = $i }
  $1 == "go"        { print "bestmove " move[int(rand() * count)] }
  $1 == "quit"      { exit }
                    { fflush() }'
