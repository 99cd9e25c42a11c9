# An agent in the style of a small compiled program: Gemini, streamed, by HTTP/1.1 that is written by hand on one
# connection, which is kept. It calls its tool for as long as the model asks for it.

use strict;
use warnings;
use IO::Socket::INET;
use JSON::PP;

my ($host, $base) = $ENV{GOOGLE_GEMINI_BASE_URL} =~ m{^http://([^/]+)(.*)$} or die "no address\n";
my $path = "$base/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse";
my $socket = IO::Socket::INET->new(PeerAddr => $host) or die "no connection: $!\n";
my @tools = ({ functionDeclarations => [{ name => "look", description => "Looks again" }] });
my @contents = ({ role => "user", parts => [{ text => "Go." }] });

while (1) {
    send_request({ contents => \@contents, tools => \@tools });
    my ($status, $body) = read_response();
    if ($status != 200) {
        print "$status ", decode_json($body)->{error}{message}, "\n";
        exit 3;
    }
    my @parts = map { @{ decode_json($_)->{candidates}[0]{content}{parts} } } $body =~ /^data: ?(.*)$/mg;
    my @calls = grep { $_->{functionCall} } @parts;
    exit 0 if !@calls;
    print "looked\n";
    my @results = map { { functionResponse => { name => "look", response => { found => "nothing" } } } } @calls;
    push @contents, { role => "model", parts => \@calls }, { role => "user", parts => \@results };
}

sub send_request {
    my $body = encode_json(shift);
    my @lines = (
        "POST $path HTTP/1.1",
        "Host: $host",
        "Content-Type: application/json",
        "X-Goog-Api-Key: key",
        "Content-Length: " . length $body,
    );
    print $socket join("\r\n", @lines, "", $body);
    $socket->flush;
}

sub read_response {
    my ($status) = read_line() =~ m{^HTTP/1\.1 (\d+)} or die "no HTTP\n";
    my %headers;
    while ((my $line = read_line()) ne "") {
        my ($name, $value) = split /:\s*/, $line, 2;
        $headers{ lc $name } = $value;
    }
    return ($status, read_bytes($headers{"content-length"})) if defined $headers{"content-length"};
    my $body = "";
    while (my $length = hex read_line()) {
        $body .= read_bytes($length);
        read_line();
    }
    read_line();
    return ($status, $body);
}

sub read_line {
    my $line = readline $socket;
    die "the connection was closed\n" if !defined $line;
    return $line =~ s/\r\n$//r;
}

sub read_bytes {
    my $length = shift;
    my $bytes = "";
    while (length $bytes < $length) {
        read($socket, $bytes, $length - length $bytes, length $bytes) or die "the connection was closed\n";
    }
    return $bytes;
}
