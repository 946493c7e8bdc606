#!/bin/sh
# Run once, as root, when the image is made: installs packages and builds the judge. ./course autograder gradescope puts this
# beside course/, the whole clone.
set -eu
cd "$(dirname "$0")/course"
. /etc/os-release
if [ "$ID-$VERSION_ID" != debian-12 ]; then
    echo "this is $PRETTY_NAME, but the course is tested on Debian 12: build the image from the Dockerfile in the zip" >&2
    exit 1
fi
sh tools/setup.sh --with-grading
cmake --preset reference
cmake --build build/reference --target judge
