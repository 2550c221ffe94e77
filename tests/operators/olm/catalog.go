// Command catalog serves a catalog of operators over gRPC, as the image of a catalog does for the Operator Lifecycle Manager.
//
//	catalog ADDRESS FILE
//
// FILE is {"packages": [...], "bundles": [...]} in the JSON form of the registry's own messages. It is read at each call.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net"
	"os"

	"github.com/operator-framework/operator-registry/pkg/api"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/health"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

type catalog struct {
	api.UnimplementedRegistryServer
	file string
}

type content struct {
	Packages []*api.Package
	Bundles  []*api.Bundle
}

func (c *catalog) read() (content, error) {
	var found content
	text, err := os.ReadFile(c.file)
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	if err != nil {
		return found, status.Error(codes.Internal, err.Error())
	}
	return found, nil
}

func (c *catalog) ListPackages(_ *api.ListPackageRequest, stream api.Registry_ListPackagesServer) error {
	found, err := c.read()
	for i := 0; err == nil && i < len(found.Packages); i++ {
		err = stream.Send(&api.PackageName{Name: found.Packages[i].Name})
	}
	return err
}

func (c *catalog) GetPackage(_ context.Context, asked *api.GetPackageRequest) (*api.Package, error) {
	found, err := c.read()
	for _, one := range found.Packages {
		if one.Name == asked.Name {
			return one, nil
		}
	}
	if err == nil {
		err = status.Errorf(codes.NotFound, "package %s is not in this catalog", asked.Name)
	}
	return nil, err
}

func (c *catalog) ListBundles(_ *api.ListBundlesRequest, stream api.Registry_ListBundlesServer) error {
	found, err := c.read()
	for i := 0; err == nil && i < len(found.Bundles); i++ {
		err = stream.Send(found.Bundles[i])
	}
	return err
}

func (c *catalog) GetBundle(_ context.Context, asked *api.GetBundleRequest) (*api.Bundle, error) {
	found, err := c.read()
	for _, one := range found.Bundles {
		if one.CsvName == asked.CsvName && one.PackageName == asked.PkgName && one.ChannelName == asked.ChannelName {
			return one, nil
		}
	}
	if err == nil {
		err = status.Errorf(codes.NotFound, "bundle %s is not in this catalog", asked.CsvName)
	}
	return nil, err
}

func main() {
	if len(os.Args) != 3 {
		log.Fatal("usage: catalog ADDRESS FILE")
	}
	listener, err := net.Listen("tcp", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer()
	api.RegisterRegistryServer(server, &catalog{file: os.Args[2]})
	grpc_health_v1.RegisterHealthServer(server, health.NewServer())
	log.Fatal(server.Serve(listener))
}
