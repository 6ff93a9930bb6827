/**
 * A peer that listens on a free port, prints the port and its node id, returns each message to its sender, and exits
 * with the first session. Run by each runtime.
 */
import { loadNodeFrameCiphers } from '../../../adapters/server/crypto/frameCiphers.ts'
import { nodeTcpSockets } from '../../../adapters/server/net/tcpSockets.ts'
import { bytesToHexUnprefixed } from '../../../src/base/primitives/bytes.ts'
import { openPeer } from '../../unit/net/p2p/rlpx/peers.ts'
import { realHost, until } from '../../unit/net/p2p/rlpx/realHost.ts'

const host = realHost(77, await loadNodeFrameCiphers())
const listener = await nodeTcpSockets.listen({ host: '127.0.0.1', port: 0 }, (connection) => {
  const peer = openPeer(host, connection)
  peer.onMessage = (capability, code, payload) => void peer.session.send(capability, code, payload.slice())
  void until(() => peer.ends.length > 0).then(async () => {
    console.log(JSON.stringify(peer.ends[0]))
    await listener.close()
  })
})
console.log(JSON.stringify({ port: listener.address.port, id: bytesToHexUnprefixed(host.signer.publicKey) }))
