#!/usr/bin/env python3
"""Checks the links of the built site: check_links.py FOLDER. Every file, anchor and picture must be there, and nothing
may be loaded from the network."""

import os
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    """What one page links to, loads and can be linked at."""

    def __init__(self):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        for name in ("id", "name"):
            if given.get(name):
                self.anchors.add(given[name])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag in ("img", "script", "source", "video") and given.get("src"):
            self.loads.append(given["src"])
        if tag == "link" and given.get("href") and given.get("rel") != "canonical":
            self.loads.append(given["href"])


def read_pages(folder):
    found = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                path = os.path.normpath(os.path.join(place, name))
                found[path] = Page()
                with open(path, encoding="utf-8") as file:
                    found[path].feed(file.read())
    return found


def broken_links(folder):
    """Sentences about links that lead nowhere, and about what is loaded from elsewhere."""
    pages, problems = read_pages(os.path.normpath(folder)), []
    for path, page in sorted(pages.items()):
        shown = os.path.relpath(path, folder)
        for link in page.links + page.loads:
            parts = urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme or parts.netloc:
                if link in page.loads:
                    problems.append(f"{shown} loads {link} from the network")
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(path), unquote(parts.path))) if parts.path else path
            if not os.path.isfile(target):
                problems.append(f"{shown} links to {link}, which does not exist")
            elif parts.fragment and target in pages and unquote(parts.fragment) not in pages[target].anchors:
                problems.append(f"{shown} links to {link}, which has no such place")
    return problems


if __name__ == "__main__":
    found = broken_links(sys.argv[1])
    print("\n".join(found) or f"{len(read_pages(sys.argv[1]))} pages, every link leads somewhere")
    sys.exit(1 if found else 0)
