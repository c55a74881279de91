// Holds nothing: with this file the headers that tests share are compiled.
