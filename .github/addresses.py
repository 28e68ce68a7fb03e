"""Write the address of this repository into README's links: the page of the package has no files."""

import os
import re
from pathlib import Path

REPOSITORY = f"https://github.com/{os.environ['GITHUB_REPOSITORY']}"
REVISION = os.environ["GITHUB_REF_NAME"]
README = Path("README.md")

text = README.read_text(encoding="utf-8")
for place, kind in ((r'!\[[^\]]*\]\(|src(?:set)?="', "raw"), (r"\]\(", "blob")):
    text = re.sub(rf"({place})(?!https:|#)", rf"\g<1>{REPOSITORY}/{kind}/{REVISION}/", text)
README.write_text(text, encoding="utf-8")
