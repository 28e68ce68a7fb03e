#!/usr/bin/env tclsh
# Plays a random legal move. The hub lists the legal moves before each `go`.
fconfigure stdout -buffering line
while {[gets stdin line] >= 0} {
    set rest [lassign [regexp -all -inline {\S+} $line] word]
    switch -- $word {
        ugi     { puts "id name tiny-tcl\nprotocol 1 legal\nugiok" }
        isready { puts readyok }
        legal   { set moves $rest }
        legal+  { lappend moves {*}$rest }
        go      { puts "bestmove [lindex $moves [expr {int(rand() * [llength $moves])}]]" }
        quit    { exit }
    }
}
