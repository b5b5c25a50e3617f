// Package k8s holds the Kubernetes manifests that retrystorm writes to the types
// of Kubernetes itself. It is a module of its own, so that the tool depends on
// none of them; all of it is tests.
package k8s
