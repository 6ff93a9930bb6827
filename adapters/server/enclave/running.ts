/**
 * A running enclave: its keys and database in the folder `enclave` of a data directory, its port for other enclaves.
 * @module
 */

import path from 'node:path'
import type { Logger } from '../../../src/base/ports/host.ts'
import { NodeError } from '../../../src/base/primitives/errors.ts'
import { urlOf } from '../../../src/base/primitives/hostPort.ts'
import type { HttpServer } from '../../../src/http/server.ts'
import { Enclave } from '../../../src/private/enclave/enclave.ts'
import { MemoryStore } from '../../../src/storage/memoryStore.ts'
import { addChecksums } from '../../../src/storage/migrations.ts'
import { systemClock, systemRandom, systemTimers } from '../../shared/systemPorts.ts'
import type { Durability } from '../data/lmdbStore.ts'
import type { EnclaveSettings } from '../settings.ts'
import { ENCLAVE_FOLDER, loadKeys } from './keys.ts'
import { HttpEnclavePeers } from './peers.ts'
import { serveEnclave } from './server.ts'

export interface RunningEnclave {
  readonly enclave: Enclave
  /** For other enclaves. */
  readonly server: HttpServer
  /** The URL that other enclaves use. */
  readonly url: string
  /** undefined: keys and payloads are in memory. */
  readonly directory: string | undefined
  close(): Promise<void>
}

/**
 * @param directory data directory, in which the enclave has its own folder; undefined: nothing is stored
 * @throws {NodeError} INVALID_OPTION, INVALID_ENCLAVE_KEY_FILE, PORT_IN_USE, LISTEN_FAILED, and those of the directory
 */
export async function startEnclave(
  settings: EnclaveSettings,
  directory: string | undefined,
  logger: Logger,
): Promise<RunningEnclave> {
  if (isAnyAddress(settings.host) && settings.url === undefined) {
    throw new NodeError(
      { code: 'INVALID_OPTION' },
      '--privacy-enclave-host names all addresses: --privacy-enclave-url must tell other enclaves which one to use',
    )
  }
  const folder = directory === undefined ? undefined : path.join(directory, ENCLAVE_FOLDER)
  const data = folder === undefined ? undefined : await openFolder(folder, settings.durability)
  try {
    const keys = await loadKeys({
      files: settings.keyFiles,
      passwordFile: settings.passwordFile,
      directory: folder,
      logger,
    })
    const enclave = new Enclave({
      store: data?.store ?? new MemoryStore(),
      keys,
      parties: settings.peers,
      isOpen: settings.isOpen,
      peers: new HttpEnclavePeers(),
      random: systemRandom,
      clock: systemClock,
      timers: systemTimers,
      logger,
    })
    const server = await serveEnclave({
      host: settings.host,
      port: settings.port,
      hosts: settings.url === undefined ? settings.hosts : [...settings.hosts, new URL(settings.url).hostname],
      answer: (request) => enclave.answerPeer(request),
      logger,
    })
    const close = async (): Promise<void> => {
      await server.close()
      enclave.close()
      await data?.close()
    }
    const url = settings.url ?? urlOf('http', server)
    try {
      enclave.start(url)
    } catch (error) {
      await server.close()
      throw error
    }
    return { enclave, server, url, directory: folder, close }
  } catch (error) {
    await data?.close()
    throw error
  }
}

/** LMDB is loaded only when data are stored on disk. */
async function openFolder(folder: string, durability: Durability) {
  const { openDataDirectory } = await import('../data/dataDirectory.ts')
  const data = openDataDirectory(folder, durability)
  await addChecksums(data.store)
  return data
}

function isAnyAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::'
}
