// class: symlinks
// The submitted file is a link to the answer key, another to a file of the system.
// link: lab01_feature_maps.cpp -> reference/lab01_feature_maps.cpp
// link: lab00_warm_up.cpp -> /etc/passwd
// expects: lab01 unusable
