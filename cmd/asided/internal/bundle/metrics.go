package bundle

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

var (
	ageDesc = desc("age_seconds", "Time since the server last confirmed the rules in use; since the start if "+
		"it never has.")
	oldDesc = desc("stale", "Whether that is longer than --bundle-stale, or the bundle has expired.")
	revDesc = desc("revision", "Revision of the bundle in use; 0: none.")
	shrDesc = desc("rollout", "Share of runs with the rules of the bundle, 0 to 1.")
	chkDesc = desc("checks_total", "Checks of the server, by result: new, same, away or refused.", "result")
	nfoDesc = desc("info", "The bundle in use.", "name", "revision", "digest")
)

func desc(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("aside_bundle_"+name, help, labels, nil)
}

// Describe implements prometheus.Collector.
func (*Node) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{ageDesc, oldDesc, revDesc, shrDesc, chkDesc, nfoDesc} {
		ch <- d
	}
}

// Collect implements prometheus.Collector.
func (n *Node) Collect(ch chan<- prometheus.Metric) {
	s := n.State()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	gauge(ageDesc, s.Age)
	gauge(oldDesc, map[bool]float64{true: 1}[s.Stale])
	gauge(revDesc, float64(s.Revision))
	gauge(shrDesc, s.Rollout)
	if s.Name != "" {
		gauge(nfoDesc, 1, s.Name, strconv.FormatInt(s.Revision, 10), s.Digest)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, result := range []string{resultNew, resultSame, resultAway, resultRefused} {
		ch <- prometheus.MustNewConstMetric(chkDesc, prometheus.CounterValue, float64(n.results[result]), result)
	}
}
