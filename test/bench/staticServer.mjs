/** Serves folders by nginx, or by Node where it is missing, and counts what clients ask for. */
import { execFileSync, spawn } from 'node:child_process'
import { createReadStream, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createNetServer } from 'node:net'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'

const TYPES = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript', '.wasm': 'application/wasm' }
const OTHER = 'application/octet-stream'
/** Then a client that waits for an answer has asked for everything. */
const STILL_MS = 150

/**
 * @param home folder for configuration and logs
 * @param folders by the path under which they are served
 * @returns `counted(prefix)` resolves with what was asked for below a path since the last call
 */
export async function serveFolders(home, folders) {
  return hasNginx() ? serveByNginx(home, folders) : serveByNode(folders)
}

function hasNginx() {
  try {
    execFileSync('nginx', ['-v'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function serveByNginx(home, folders) {
  const port = await freePort()
  mkdirSync(home, { recursive: true })
  const log = path.join(home, 'access.log')
  const file = path.join(home, 'nginx.conf')
  writeFileSync(log, '')
  writeFileSync(file, configuration(home, port, folders))
  const child = spawn('nginx', ['-p', home, '-c', file, '-e', path.join(home, 'error.log')], { stdio: 'ignore' })
  const origin = `http://127.0.0.1:${port}`
  await answering(origin, child)
  const [, version] = /nginx\/(\S+)/.exec((await fetch(origin)).headers.get('server') ?? '') ?? []
  const lines = () => readFileSync(log, 'utf8').trim().split('\n').filter(Boolean)
  return {
    name: `nginx ${version}`,
    origin,
    counted: counter(() => lines().map((line) => [line.slice(line.indexOf(' ') + 1), Number(line.split(' ', 1)[0])])),
    close: () => new Promise((resolve) => child.once('exit', resolve) && child.kill('SIGTERM')),
  }
}

function configuration(home, port, folders) {
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (kind) => `${kind}_temp_path ${home}/${kind};`,
  )
  const locations = Object.entries(folders).map(([at, folder]) => `location ${at} { alias ${folder}/; }`)
  const types = Object.entries(TYPES).map(([ending, type]) => `${type} ${ending.slice(1)};`)
  return `${user} daemon off; pid ${home}/nginx.pid; worker_processes 1;
events { worker_connections 256; }
http {
  ${temporary.join(' ')}
  types { ${types.join(' ')} }
  default_type ${OTHER};
  sendfile on;
  log_format counted '$body_bytes_sent $request_uri';
  access_log ${home}/access.log counted;
  server { listen 127.0.0.1:${port}; ${locations.join(' ')} }
}`
}

async function answering(origin, child) {
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    try {
      await fetch(origin)
      return
    } catch {
      await delay(50)
    }
  }
  throw new Error('nginx does not answer')
}

function freePort() {
  const server = createNetServer()
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function serveByNode(folders) {
  const asked = []
  const server = createServer((request, response) => {
    const name = decodeURIComponent(new URL(request.url, 'http://localhost').pathname)
    const at = Object.keys(folders).find((prefix) => name.startsWith(prefix))
    const file = at && path.join(folders[at], name.slice(at.length))
    const size = file && statSync(file, { throwIfNoEntry: false })?.size
    if (size === undefined) {
      asked.push([request.url, 0])
      response.writeHead(404).end()
      return
    }
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
    const start = Number(first ?? 0)
    const end = Math.min(size - 1, last ? Number(last) : size - 1)
    const headers = {
      'accept-ranges': 'bytes',
      'content-length': end - start + 1,
      'content-type': TYPES[path.extname(file)] ?? OTHER,
      ...(first === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
    }
    response.writeHead(first === undefined ? 200 : 206, headers)
    asked.push([request.url, request.method === 'HEAD' ? 0 : end - start + 1])
    if (request.method === 'HEAD') response.end()
    else createReadStream(file, { start, end }).pipe(response)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    name: 'a server of Node, because nginx is missing',
    origin: `http://127.0.0.1:${server.address().port}`,
    counted: counter(() => asked),
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

/** @param all addresses and bytes of all requests */
function counter(all) {
  let seen = 0
  return async (prefix) => {
    let before = -1
    while (all().length !== before) {
      before = all().length
      await delay(STILL_MS)
    }
    const asked = all()
      .slice(seen, before)
      .filter(([address]) => address.startsWith(prefix))
    seen = before
    return { requests: asked.length, bytes: asked.reduce((sum, [, bytes]) => sum + bytes, 0) }
  }
}
