/**
 * A local registry for package managers: it serves the packed package and the dependencies that an installation has,
 * and passes no request on.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import path from 'node:path'
import { promisify } from 'node:util'
import { root } from './pack.mjs'

const run = promisify(execFile)

/**
 * @param {string} packed the packed package
 * @param {string} project with an installation of it
 * @returns {Promise<{ url: string, close(): void }>}
 */
export async function openRegistry(packed, project) {
  const files = new Map()
  const packuments = new Map()
  const server = createServer(({ url = '/' }, response) => {
    const name = decodeURIComponent(url.slice(1))
    const packument = packuments.get(name)
    const file = packument === undefined ? files.get(name) : undefined
    if (packument === undefined && file === undefined) return response.writeHead(404).end('{}')
    const type = file === undefined ? 'application/json' : 'application/octet-stream'
    response.writeHead(200, { 'content-type': type }).end(file ?? JSON.stringify(packument))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const base = `http://127.0.0.1:${server.address().port}/`

  const add = (manifest, content) => {
    const { name, version } = manifest
    const file = `${name}/-/${version}.tgz`
    files.set(file, content)
    const dist = {
      tarball: base + file,
      shasum: createHash('sha1').update(content).digest('hex'),
      integrity: `sha512-${createHash('sha512').update(content).digest('base64')}`,
    }
    const { versions = {} } = packuments.get(name) ?? {}
    versions[version] = { ...manifest, dist }
    packuments.set(name, { name, 'dist-tags': { latest: version }, versions })
  }

  const manifestOf = (folder) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'))
  add(manifestOf(root), readFileSync(packed))
  const { packages } = JSON.parse(readFileSync(path.join(project, 'node_modules/.package-lock.json'), 'utf8'))
  const folders = Object.keys(packages).filter((folder) => folder !== 'node_modules/isonode')
  for (const folder of folders) {
    const installed = path.join(project, folder)
    const tar = ['czf', '-', '--exclude=node_modules', '-C', path.dirname(installed), path.basename(installed)]
    const { stdout } = await run('tar', tar, { encoding: 'buffer', maxBuffer: 2 ** 28 })
    add(manifestOf(installed), stdout)
  }
  // Packages of other platforms: resolved, but not loaded.
  const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
  for (const [folder, { version, os, cpu }] of Object.entries(lock.packages)) {
    const name = folder.slice('node_modules/'.length)
    if (os !== undefined && !packuments.has(name)) add({ name, version, os, cpu }, Buffer.alloc(0))
  }
  return {
    url: base,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
