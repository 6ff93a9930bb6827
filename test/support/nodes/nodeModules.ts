/**
 * Modules that a node loads when it first needs them. That takes real time, for which virtual time would not wait, so
 * simulations load them before they begin.
 */
import '../../../src/chain/migrations.ts'
import '../../../src/consensus/createSchedule.ts'
import '../../../src/consensus/pow/epochCaches.ts'
import '../../../src/net/p2p/rlpx/portableCiphers.ts'
import '../../../src/node/bft.ts'
import '../../../src/node/chainWatch.ts'
import '../../../src/node/clique.ts'
import '../../../src/node/logBloomCache.ts'
import '../../../src/node/metricsParts.ts'
import '../../../src/node/network/namedPeers.ts'
import '../../../src/node/network/nodeNetwork.ts'
import '../../../src/node/permissions/assemblePermissions.ts'
import '../../../src/node/producers.ts'
import '../../../src/node/signerWatch.ts'
import '../../../src/node/waitLog.ts'
