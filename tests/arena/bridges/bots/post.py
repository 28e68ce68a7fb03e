"""A bot of the kind of bridge:http."""

import json
import os
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

port, what = sys.argv[1:]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        print("bestmove a1", flush=True)
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if what == "crash":
            print("Segmentation fault of ann", file=sys.stderr, flush=True)
            os._exit(3)
        if what == "sleep":
            print("Looking 90 plies deep", file=sys.stderr, flush=True)
            time.sleep(60)
        body = json.dumps({"move": "Z9" if what == "illegal" else message["legal"][-1]}).encode()
        if what == "status":
            self.send_error(500, explain="Segmentation fault of ann")
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", int(port)), Handler).serve_forever()
