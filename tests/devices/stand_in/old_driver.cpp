// A driver of long ago, which has none of the functions.
extern "C" int cuOfLongAgo();
extern "C" int cuOfLongAgo() { return 0; }
