/**
 * A validator alone in its network, in a separate process. Everything that it sends is written to the standard output
 * before the call returns: height, round, kind and content, one line each.
 *
 *   validatorProcess <data directory>
 */
import { writeSync } from 'node:fs'
import process from 'node:process'
import { installNodeCrypto } from '../../adapters/server/crypto/crypto.ts'
import { openDataDirectory } from '../../adapters/server/data/dataDirectory.ts'
import { systemClock, systemRandom, systemTimers, yieldToHost } from '../../adapters/shared/systemPorts.ts'
import { InlineRecovery } from '../../src/base/ports/inlineRecovery.ts'
import { silentLogger } from '../../src/base/ports/logging.ts'
import { bytesToHex } from '../../src/base/primitives/bytes.ts'
import { defaultOptions } from '../../src/config/options.ts'
import type { BftNetwork } from '../../src/consensus/bft/messages/packets.ts'
import { createNode } from '../../src/node/node.ts'
import { settingsOf } from '../../src/node/settings/nodeSettings.ts'
import { decodePayload, kindOf, PROTOCOLS } from '../../src/sealing/bft/protocols.ts'
import { bftGenesis, validatorKeys } from '../simulation/bft/bftGenesis.ts'

const START_SECONDS = 1_760_000_000
/** Keeps the process alive. */
const FOREVER_MS = 2 ** 30

const network: BftNetwork = {
  open() {},
  refuse() {},
  charge() {},
  sawHeight() {},
  close() {},
  send({ protocol, code, payload }) {
    const kind = kindOf(code, PROTOCOLS[protocol])
    if (kind === undefined) throw new Error(`a message with the code ${code}`)
    const { signed } = decodePayload(kind, payload, PROTOCOLS[protocol])
    const { height, round } = signed.payload
    const content = 'digest' in signed.payload ? bytesToHex(signed.payload.digest) : 'round change'
    writeSync(1, `${height} ${round} ${kind} ${content}\n`)
  },
}

await installNodeCrypto()
const [signer] = validatorKeys(1)
if (signer === undefined) throw new Error('no key')
const directory = openDataDirectory(process.argv[2] as string, 'power')
const ports = { clock: systemClock, timers: systemTimers, random: systemRandom, yieldToHost }
const logger = {
  ...silentLogger,
  error: (message: string, more?: unknown) => console.error(message, more),
  child: () => logger,
}
const host = { ...ports, store: directory.store, senders: new InlineRecovery(ports), logger, platform: 'test', signer }
const genesis = bftGenesis({ mode: 'qbft', validators: [signer], timestamp: START_SECONDS })
const node = await createNode({ ...host, bftNetwork: network }, genesis, settingsOf(defaultOptions(false), false))
writeSync(1, `head ${node.chain.head.header.number}\n`)
setInterval(() => {}, FOREVER_MS)
await node.goOnline()
