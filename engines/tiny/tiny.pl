#!/usr/bin/env perl
# Plays a random legal move. The hub lists the legal moves before each `go`.
use strict;
use warnings;
$| = 1;    # flush every print
my @moves;
while (my $line = <STDIN>) {
    my ($word, @rest) = split ' ', $line or next;
    print "id name tiny-perl\nprotocol 1 legal\nugiok\n" if $word eq 'ugi';
    print "readyok\n"                                    if $word eq 'isready';
    @moves = @rest                                       if $word eq 'legal';
    push @moves, @rest                                   if $word eq 'legal+';
    print "bestmove $moves[rand @moves]\n"               if $word eq 'go';
    last                                                 if $word eq 'quit';
}
