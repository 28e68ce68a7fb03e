#!/usr/bin/env -S sed -nuf
# Plays the first legal move that the hub lists. The hold space stores the answer.
s/[ \t\r]\+/ /g
s/^ //
s/ $//
s/^ugi$/id name tiny-sed\nprotocol 1 legal\nugiok/p
s/^isready\( .*\)*$/readyok/p
/^legal /{ s/^legal \([^ ]*\).*/bestmove \1/; h; }
/^go\( .*\)*$/{ g; p; }
/^quit/q
