/**
 * UDP on Node, Deno and Bun.
 * @module
 */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import type { SocketAddress } from '../../../src/base/ports/tcpSockets.ts'
import type { UdpSocket, UdpSockets } from '../../../src/base/ports/udpSockets.ts'
import { listenFailed } from './tcpSockets.ts'

function bind(address: SocketAddress, onMessage: (bytes: Uint8Array, from: SocketAddress) => void): Promise<UdpSocket> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(isIPv6(address.host) ? 'udp6' : 'udp4')
    const onError = (error: Error): void => {
      socket.close()
      reject(listenFailed(address, error))
    }
    socket.once('error', onError)
    socket.on('message', (bytes, { address: host, port }) => onMessage(bytes, { host, port }))
    socket.bind({ address: address.host, port: address.port, exclusive: true }, () => {
      socket.off('error', onError)
      // ICMP errors of single datagrams do not affect the socket.
      socket.on('error', () => {})
      const bound = socket.address()
      let isClosed = false
      resolve({
        address: { host: bound.address, port: bound.port },
        send: (bytes, to) => {
          if (!isClosed) socket.send(bytes, to.port, to.host, () => {})
        },
        close: () => {
          if (isClosed) return Promise.resolve()
          isClosed = true
          return new Promise((done) => socket.close(done))
        },
      })
    })
  })
}

export const nodeUdpSockets: UdpSockets = { bind }
