// class: symlinks
// The folder student/ is a link to the folder of the answer key.
// link: student -> reference
// expects: lab01 unusable
