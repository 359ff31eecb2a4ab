// Package jsonprofile reads answers of payment providers' APIs, saved as JSON: one document, or several one after
// the other as in JSON Lines. The profiles are those of the profile package with "format json"; their columns are
// paths such as amount.value.
//
// Entries are the objects in a list, wherever in the document the list stands, that have what a profile needs;
// where no list has any, the document itself or what it is wrapped in. Documents are read as streams, item by
// item, and numbers as the digits that stand there, never as floats.
package jsonprofile
