"""Print the packages whose tests, with all that they import, open no backend: they need no cgo, and run anywhere."""

import json
import subprocess
import sys

MODULE = "github.com/peng-cde/pengcde-go"


def listed():
    """Every package of the module with the packages of the module that it and its tests import."""
    text = subprocess.run(["go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "./..."],
                          check=True, capture_output=True, text=True).stdout
    decoder, packages, at = json.JSONDecoder(), {}, 0
    while at < len(text):
        one, end = decoder.raw_decode(text, at)
        packages[one["ImportPath"]] = one
        at = end + 1
    return packages


def pure(packages):
    """Those that do not come to MODULE/xla."""
    def reaches(path, seen):
        if path == MODULE + "/xla" or path.startswith(MODULE + "/xla/"):
            return True
        if path not in packages or path in seen:
            return False
        seen.add(path)
        return any(reaches(p, seen) for p in packages[path].get("Imports", []))

    for path, one in packages.items():
        tests = one.get("TestImports", []) + one.get("XTestImports", [])
        if tests and not any(reaches(p, set()) for p in [path, *tests]):
            yield path


if __name__ == "__main__":
    sys.stdout.write("\n".join(sorted(pure(listed()))) + "\n")
