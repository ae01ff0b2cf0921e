package main

import (
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"os"
	"strings"
	"sync"

	pb "bench/gen/utilitytools/v1"

	"github.com/oschwald/maxminddb-golang/v2"
)

// dataFiles is the content of the file in the environment variable GEOIP_DATA, which the benchmark writes.
type dataFiles struct {
	City string `json:"city"`
	ASN  string `json:"asn"`
	// Names are the names of systems that the service corrects; empty for a reserved number.
	Names map[uint32]string `json:"names"`
	// Special are the special-purpose blocks in CIDR notation.
	Special []string `json:"special"`
	// EU are the country codes that are in the European Union.
	EU []string `json:"eu"`
}

// geoIP looks up addresses as the service does, in the same files.
type geoIP struct {
	city, asn *maxminddb.Reader
	cities    recordCache[cityRecord]
	systems   recordCache[asnRecord]
	names     map[uint32]string
	special   map[bool]*prefixNode
	eu        map[string]bool
}

type cityRecord struct {
	Country struct {
		Code string `maxminddb:"iso_code"`
	} `maxminddb:"country"`
	Location struct {
		Latitude  float64 `maxminddb:"latitude"`
		Longitude float64 `maxminddb:"longitude"`
	} `maxminddb:"location"`
}

type asnRecord struct {
	Number uint32 `maxminddb:"autonomous_system_number"`
	Name   string `maxminddb:"autonomous_system_organization"`
}

// cachedRecords is the number of records that the service caches per file.
const cachedRecords = 65_536

// recordCache caches decoded records by their place in the file, as the service does: many addresses share a record.
type recordCache[T any] struct {
	mutex   sync.RWMutex
	records map[uintptr]*T
}

// decode returns the zero value if nothing was found.
func (c *recordCache[T]) decode(found maxminddb.Result) (*T, error) {
	if !found.Found() {
		return new(T), found.Err()
	}
	c.mutex.RLock()
	record := c.records[found.Offset()]
	c.mutex.RUnlock()
	if record != nil {
		return record, nil
	}
	record = new(T)
	if err := found.Decode(record); err != nil {
		return nil, err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.records == nil || len(c.records) == cachedRecords {
		c.records = make(map[uintptr]*T)
	}
	c.records[found.Offset()] = record
	return record, nil
}

func openGeoIP(name string) (*geoIP, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var files dataFiles
	if err := json.Unmarshal(text, &files); err != nil {
		return nil, err
	}
	g := &geoIP{names: files.Names, special: map[bool]*prefixNode{true: {}, false: {}}, eu: map[string]bool{}}
	for _, each := range []struct {
		reader **maxminddb.Reader
		path   string
	}{{&g.city, files.City}, {&g.asn, files.ASN}} {
		if *each.reader, err = maxminddb.Open(each.path); err != nil {
			return nil, err
		}
	}
	for _, block := range files.Special {
		prefix, err := netip.ParsePrefix(block)
		if err != nil {
			return nil, err
		}
		g.special[prefix.Addr().Is4()].insert(prefix)
	}
	for _, country := range files.EU {
		g.eu[country] = true
	}
	return g, nil
}

// lookup returns an error for an address that is invalid or special-purpose, or of which nothing is known.
func (g *geoIP) lookup(text string) (*pb.LookupIpResponse, error) {
	addr, err := netip.ParseAddr(text)
	if err != nil || addr.Zone() != "" {
		return nil, fmt.Errorf("%q is not an address", text)
	}
	addr = addr.Unmap()
	isSpecial, bits := g.special[addr.Is4()].find(addr)
	if isSpecial {
		return nil, fmt.Errorf("%s is a special-purpose address", addr)
	}
	city := g.city.Lookup(addr)
	asn := g.asn.Lookup(addr)
	if !city.Found() && !asn.Found() {
		return nil, fmt.Errorf("nothing is known of %s", addr)
	}
	place, err := g.cities.decode(city)
	if err != nil {
		return nil, err
	}
	system, err := g.systems.decode(asn)
	if err != nil {
		return nil, err
	}
	number, name := system.Number, system.Name
	if corrected, isWrong := g.names[number]; isWrong {
		name = corrected
		if name == "" {
			number = 0
		}
	}
	subnet, err := addr.Prefix(max(bits, city.Prefix().Bits(), asn.Prefix().Bits()))
	if err != nil {
		return nil, err
	}
	country := strings.ToUpper(place.Country.Code)
	if country == "ZZ" {
		country = ""
	}
	ip := addr.String()
	return &pb.LookupIpResponse{
		Ip: ip,
		Metadata: &pb.IpMetadata{
			Location: &pb.IpLocation{Country: country, Eu: g.eu[country]},
			Asn:      number,
			AsnName:  name,
			Coords:   &pb.IpCoordinates{Lat: fourDecimals(place.Location.Latitude), Lon: fourDecimals(place.Location.Longitude)},
			Ip:       ip,
			Subnet:   subnet.String(),
		},
	}, nil
}

func fourDecimals(degrees float64) float64 {
	// The sum turns -0 into 0.
	return math.Floor(degrees*10_000+0.5)/10_000 + 0
}

// prefixNode is a node of a binary tree over the bits of addresses.
type prefixNode struct {
	isBlock  bool
	children [2]*prefixNode
}

func (n *prefixNode) insert(prefix netip.Prefix) {
	bytes := prefix.Addr().AsSlice()
	for depth := range prefix.Bits() {
		child := &n.children[bitAt(bytes, depth)]
		if *child == nil {
			*child = &prefixNode{}
		}
		n = *child
	}
	n.isBlock = true
}

// find returns whether a block contains the address, and the length of the shortest prefix with this result.
func (n *prefixNode) find(addr netip.Addr) (isSpecial bool, bits int) {
	array := addr.As16()
	bytes := array[:]
	if addr.Is4() {
		bytes = bytes[12:]
	}
	isSpecial = n.isBlock
	for depth := range addr.BitLen() {
		child := n.children[bitAt(bytes, depth)]
		if child == nil {
			if n.children[0] == n.children[1] {
				return isSpecial, depth
			}
			return isSpecial, depth + 1
		}
		n = child
		isSpecial = isSpecial || n.isBlock
	}
	return isSpecial, addr.BitLen()
}

func bitAt(bytes []byte, index int) byte {
	return bytes[index>>3] >> (7 - index&7) & 1
}
