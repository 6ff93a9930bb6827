/**
 * The `config` section of a genesis file as admin_nodeInfo shows it: Besu's selection, names and order.
 * @module
 */

type Json = Readonly<Record<string, unknown>>

const OPTIONS = (
  'chainId homesteadBlock daoForkBlock eip150Block eip158Block byzantiumBlock constantinopleBlock petersburgBlock ' +
  'istanbulBlock muirGlacierBlock berlinBlock londonBlock arrowGlacierBlock grayGlacierBlock mergeNetSplitBlock ' +
  'shanghaiTime cancunTime pragueTime osakaTime terminalBlockNumber terminalBlockHash futureEipsTime ' +
  'experimentalEipsTime classicForkBlock ecip1015Block dieHardBlock gothamBlock ecip1041Block atlantisBlock ' +
  'aghartaBlock phoenixBlock thanosBlock magnetoBlock mystiqueBlock contractSizeLimit evmstacksize ecip1017EraRounds'
).split(' ')

const BFT =
  'epochLength blockPeriodSeconds requestTimeoutSeconds gossipedHistoryLimit messageQueueLimit duplicateMessageLimit ' +
  'futureMessagesLimit futureMessagesMaxDistance'

/** Consensus sections and their options. */
const CONSENSUS: readonly (readonly [section: string, options: readonly string[]])[] = [
  ['clique', ['epochLength', 'blockPeriodSeconds']],
  ['ethash', ['fixeddifficulty']],
  ['ibft2', BFT.split(' ')],
  ['qbft', [...BFT.split(' '), 'validatorcontractaddress', 'startBlock']],
]

/** Other names of the same option in genesis files. */
const OTHER_NAMES: Readonly<Record<string, string>> = { petersburgBlock: 'constantinopleFixBlock' }

/** @param source the section of the genesis file; names in any case */
export function genesisOptions(source: Json): Json {
  const fields: Record<string, unknown> = {}
  for (const name of OPTIONS) {
    const value = find(source, name) ?? find(source, OTHER_NAMES[name])
    if (value !== undefined) fields[name] = integer(value)
  }
  for (const [section, options] of CONSENSUS) {
    const value = find(source, section)
    if (typeof value !== 'object') continue
    fields[section] = selected(value as Json, options)
    break
  }
  if (find(source, 'isQuorum') === true) {
    fields['isQuorum'] = true
    fields['qip714block'] = integer(find(source, 'qip714block'))
  }
  if (find(source, 'zeroBaseFee') === true) fields['zeroBaseFee'] = true
  return fields
}

function selected(section: Json, options: readonly string[]): Json {
  const entries = options.map((name): [string, unknown] => [name, integer(find(section, name))])
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** @returns undefined for an absent member or null */
function find(object: Json, name: string | undefined): unknown {
  if (name === undefined) return undefined
  if (Object.hasOwn(object, name)) return object[name] ?? undefined
  const lower = name.toLowerCase()
  const key = Object.keys(object).find((each) => each.toLowerCase() === lower)
  return key === undefined ? undefined : (object[key] ?? undefined)
}

/** Decimal text becomes an integer; other values, such as hashes, remain unchanged. */
function integer(value: unknown): unknown {
  return typeof value === 'string' && /^[0-9]+$/.test(value) ? BigInt(value) : value
}
