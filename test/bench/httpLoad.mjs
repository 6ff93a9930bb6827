// Generates load on one server: `node httpLoad.mjs <port> <connections> <seconds> <body>`; prints answers per second.
// Raw sockets, one request at a time on each; all answers to one request must have the same length.
import { createConnection } from 'node:net'

const [port, connections, seconds, body] = process.argv.slice(2)
const request = Buffer.from(
  `POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
)

function answerLength() {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = createConnection({ port: Number(port), host: '127.0.0.1' }, () => socket.write(request))
    socket.on('error', reject)
    socket.on('data', (chunk) => {
      text += chunk
      const header = text.indexOf('\r\n\r\n') + 4
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1])
      if (header < 4 || text.length < header + length) return
      if (!text.startsWith('HTTP/1.1 200')) reject(new Error(text))
      socket.destroy()
      resolve(header + length)
    })
  })
}

const length = await answerLength()
let answers = 0
const sockets = Array.from({ length: Number(connections) }, () => {
  const socket = createConnection({ port: Number(port), host: '127.0.0.1', noDelay: true }, () => socket.write(request))
  let received = 0
  socket.on('data', (chunk) => {
    received += chunk.length
    if (received < length) return
    if (received > length) throw new Error(`an answer of ${received} bytes instead of ${length}`)
    received = 0
    answers++
    socket.write(request)
  })
  return socket
})
await new Promise((resolve) => setTimeout(resolve, 200))
const before = answers
const started = performance.now()
await new Promise((resolve) => setTimeout(resolve, Number(seconds) * 1000))
console.log(Math.round(((answers - before) * 1000) / (performance.now() - started)))
for (const socket of sockets) socket.destroy()
