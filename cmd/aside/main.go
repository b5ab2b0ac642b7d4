// Command aside runs reminder rules.
package main

func main() {}
