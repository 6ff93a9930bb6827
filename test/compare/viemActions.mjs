/**
 * Runs every public, wallet, test and experimental action of viem on the dev chain, and compares it with anvil, Hardhat's
 * node and ganache. Prints a table with one row per action.
 *
 *   node test/compare/viemActions.mjs [--peers] [--tools isonode,anvil] [--rows TEXT] [--verbose]
 *
 * Needs the built node. Without `--peers` it measures isonode alone and takes the others from docs/viem-actions.md; with
 * it, it measures all tools (those in .cache) and writes that page. Ends with 1 when isonode fails at an action that any
 * other tool can do, when the page says something else about isonode, or when an action of viem has no check.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { createClient, http, publicActions, testActions, walletActions } from 'viem'
import { start, TOOLS } from './tools.mjs'
import { CHAIN_ID, MNEMONIC, MODES, openClients } from './viem/clients.mjs'
import { PUBLIC_CHECKS } from './viem/publicActions.mjs'
import { FORK_CHECKS, TEST_CHECKS } from './viem/testActions.mjs'
import { EXPERIMENTAL, EXPERIMENTAL_CHECKS, WALLET_CHECKS } from './viem/walletActions.mjs'

const PAGE = path.resolve(import.meta.dirname, '../../docs/viem-actions.md')
const CHECK_LIMIT_MS = 40_000
const OURS = 'isonode'
const TOTAL = '**all actions**'
const VIEM = JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../node_modules/viem/package.json'), 'utf8'))

const { values } = parseArgs({
  options: {
    peers: { type: 'boolean', default: false },
    tools: { type: 'string' },
    rows: { type: 'string', default: '' },
    verbose: { type: 'boolean', default: false },
  },
})
const isPartial = values.rows !== '' || values.tools !== undefined
const wanted = values.tools?.split(',') ?? (values.peers ? TOOLS.map(({ name }) => name) : [OURS])
const rows = allRows()
const table = values.peers && values.tools === undefined ? new Map() : readPage()
const faults = checkCoverage()

for (const tool of TOOLS.filter(({ name }) => wanted.includes(name))) await measure(tool)
print()
if (values.peers && !isPartial) writeFileSync(PAGE, page())
else if (wanted.includes(OURS)) compareWithPage()
checkPeers()
for (const fault of faults) console.log(fault)
console.log(`\n${Math.max(0, rows.length - faults.length)} passed, ${faults.length} failed`)
process.exitCode = faults.length === 0 ? 0 : 1

/** Each row is a group of actions, a name, and a check that gets the clients. */
function allRows() {
  const plain = (group, checks) => Object.entries(checks).map(([name, check]) => ({ row: `${group}: ${name}`, check }))
  const byMode = (names) =>
    MODES.flatMap((mode) =>
      names.map((name) => ({
        row: `${mode} mode: ${name}`,
        check: (clients) => TEST_CHECKS[name](clients.modes[mode], clients),
      })),
    )
  const all = [
    ...plain('public', PUBLIC_CHECKS),
    ...plain('wallet', WALLET_CHECKS),
    ...plain('experimental', EXPERIMENTAL_CHECKS),
    ...byMode(Object.keys(TEST_CHECKS).filter((name) => name !== 'reset' && !FORK_CHECKS.includes(name))),
    ...byMode(['reset']),
    ...byMode(FORK_CHECKS),
  ]
  return all.filter(({ row }) => row.includes(values.rows))
}

/** @returns the actions of this version of viem that have no check */
function checkCoverage() {
  const client = createClient({ transport: http('http://127.0.0.1:1') })
  const names = (actions) =>
    Object.entries(actions).flatMap(([name, action]) =>
      typeof action === 'function' ? [name] : Object.keys(action).map((inner) => `${name}.${inner}`),
    )
  const known = new Set([...Object.keys(PUBLIC_CHECKS), ...Object.keys(WALLET_CHECKS), ...Object.keys(TEST_CHECKS)])
  const decorated = [publicActions(client), walletActions(client), testActions({ mode: 'anvil' })(client)].flatMap(
    names,
  )
  const missing = decorated.filter((name) => !known.has(name))
  for (const [extension, actions] of Object.entries(EXPERIMENTAL))
    for (const name of names(actions()(client)))
      if (!known.has(name) && EXPERIMENTAL_CHECKS[`${extension}.${name}`] === undefined)
        missing.push(`${extension}.${name}`)
  return missing.map((name) => `viem's action ${name} has no check`)
}

async function measure(tool) {
  const options = { chainId: CHAIN_ID, mnemonic: MNEMONIC }
  const node = await start(tool, options)
  const other = await start(TOOLS[0], options)
  let clients
  try {
    await other.call('evm_mine')
    clients = { ...(await openClients(node)), fork: `http://127.0.0.1:${other.port}` }
    for (const { row, check } of rows) note(row, tool.name, await attempt(`${tool.name}, ${row}`, check, clients))
  } finally {
    await clients?.close().catch(() => {})
    await node.stop()
    await other.stop()
  }
}

async function attempt(what, check, clients) {
  let timer
  const limit = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error('no result in time')), CHECK_LIMIT_MS)
  })
  try {
    await Promise.race([check(clients), limit])
    return 'yes'
  } catch (error) {
    if (values.verbose)
      console.error(`${what}: ${(error.details ?? error.message).replaceAll(/\s+/g, ' ').slice(0, 300)}`)
    return 'no'
  } finally {
    clearTimeout(timer)
  }
}

function note(row, tool, cell) {
  if (!table.has(row)) table.set(row, {})
  table.get(row)[tool] = cell
}

/** @returns cells by row and tool, of the page */
function readPage() {
  if (!existsSync(PAGE)) return new Map()
  const lines = readFileSync(PAGE, 'utf8').split('\n')
  const [head = [], , ...body] = lines
    .filter((line) => line.startsWith('| '))
    .map((line) => line.slice(2, -2).split(' | '))
  return new Map(
    body.map(([row, ...cells]) => [row, Object.fromEntries(cells.map((cell, at) => [head[at + 1], cell]))]),
  )
}

function compareWithPage() {
  const documented = readPage()
  for (const { row } of rows) {
    const [said, found] = [documented.get(row)?.[OURS], table.get(row)?.[OURS]]
    if (said !== found) faults.push(`${row}: docs/viem-actions.md says "${said}" of ${OURS}, not "${found}"`)
  }
  if (values.rows !== '') return
  for (const row of documented.keys())
    if (row !== TOTAL && !rows.some((known) => known.row === row))
      faults.push(`${row} of docs/viem-actions.md has no check`)
}

function checkPeers() {
  for (const { row } of rows) {
    const { [OURS]: ours, ...peers } = table.get(row) ?? {}
    const able = Object.keys(peers).filter((name) => peers[name] === 'yes')
    if (ours === 'no' && able.length > 0) faults.push(`${OURS} lacks ${row}, which works on ${able}`)
  }
}

function tableLines() {
  const names = [...new Set(rows.flatMap(({ row }) => Object.keys(table.get(row) ?? {})))]
  const total = names.map((name) => rows.filter(({ row }) => table.get(row)?.[name] === 'yes').length)
  return [
    `| ${['Action', ...names].join(' | ')} |`,
    `| ${['---', ...names.map(() => '---')].join(' | ')} |`,
    `| ${[TOTAL, ...total].join(' | ')} |`,
    ...rows.map(({ row }) => `| ${[row, ...names.map((name) => table.get(row)?.[name] ?? '')].join(' | ')} |`),
  ]
}

function print() {
  for (const line of tableLines()) console.log(line)
}

function page() {
  const versions = TOOLS.filter(({ name }) => wanted.includes(name)).map(
    ({ name, version }) => `${name.split(' ')[0]} ${version()}`,
  )
  return [
    '# Actions of viem',
    '',
    'Written by `node test/compare/viemActions.mjs --peers`, which calls every action of viem on each tool and checks its effect.',
    'The test actions are called in the three modes that viem has for anvil, Hardhat and ganache. CI repeats the checks for',
    'isonode: every action that works on any of the other tools must work on isonode.',
    '',
    `Versions: viem ${VIEM.version}, ${versions.join(', ')}.`,
    '',
    ...tableLines(),
    '',
  ].join('\n')
}
