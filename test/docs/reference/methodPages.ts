/** docs/methods/*.md, from the method definitions and their executed examples. */
import { isDeepStrictEqual } from 'node:util'
import { errorRow } from '../../../src/rpc/errors.ts'
import type { MethodDefinition } from '../../../src/rpc/method.ts'
import { devMethods } from '../../../src/rpc/methods/dev/index.ts'
import { METHODS } from '../../../src/rpc/methods/index.ts'
import { openRpcDocument } from '../../../src/rpc/openRpc.ts'
import type { Example } from '../examples/example.ts'
import { EXAMPLES } from '../examples/index.ts'
import { type Answer, type ExampleNode, openExampleNode, type Profile } from './exampleChain.ts'
import { jsonSample } from './jsonSample.ts'
import { openExample } from './openExample.ts'
import { type Schema, type Schemas, SchemaText } from './schemaText.ts'

type Definition = MethodDefinition<never>

export const DEFINITIONS: readonly Definition[] = [...METHODS, ...devMethods] as readonly Definition[]
const DEV_ONLY = new Set<Definition>(devMethods as readonly Definition[])

const PAGES: Readonly<Record<string, string>> = {
  admin: 'Peers, log levels and bloom files, for the operator. Group `ADMIN`.',
  clique: 'Signers of a Clique chain and votes on them; on chains that use Clique only. Group `CLIQUE`.',
  debug: 'Raw data, traces and state of blocks and transactions. Group `DEBUG`.',
  dev: 'Helpers of test suites, under the names of anvil, Hardhat and ganache; on the dev chain only. Group `DEV`.',
  eth: 'The standard methods. Group `ETH`.',
  eea: 'Private transactions. Group `EEA`.',
  erigon: 'What Otterscan asks for when it connects. Group `OTS`.',
  ibft: 'Validators of an IBFT 2.0 chain and votes on them, while its head belongs to IBFT 2.0. Group `IBFT`.',
  isonode: 'Methods of this project, for programs that verify answers. Group `ETH`.',
  miner: 'Settings of block production. Group `MINER`.',
  net: 'The network. Group `NET`.',
  ots: 'Blocks, traces and searches for the explorer [Otterscan](../guides/otterscan.md). Group `OTS`.',
  perm: 'Allowlists of accounts and nodes in files. Group `PERM`.',
  plugins: 'Plugins of the operator. Groups `PLUGINS` and `ADMIN`.',
  priv: 'Private transactions, privacy groups and their states. Group `PRIV`; `priv_getEeaTransactionCount`: `EEA`.',
  privx: 'Flexible privacy groups. Group `PRIV`.',
  qbft: 'Validators of a QBFT chain and votes on them, while its head belongs to QBFT. Group `QBFT`.',
  rpc: 'Methods about the API; available whenever any group is enabled.',
  trace: 'Flat traces, opcode traces and state differences. Group `TRACE`.',
  txpool: 'The transaction pool. Group `TXPOOL`.',
  web3: 'Client version and hashing. Group `WEB3`.',
}

export function pageOf({ name, group }: Definition): string {
  return group === 'DEV' ? 'dev' : (/^[a-z0-9]+/.exec(name) as RegExpExecArray)[0]
}

interface Executed {
  readonly params: readonly unknown[]
  readonly answers: Readonly<Record<Profile, Answer>>
}

/** Path below docs/ → text. */
export async function methodPages(): Promise<Map<string, string>> {
  const { components, methods } = openRpcDocument(DEFINITIONS, { title: '', version: '' }) as unknown as {
    components: { schemas: Schemas }
    methods: { name: string; params: { name: string; summary?: string; required: boolean; schema: Schema }[] }[]
  }
  const described = new Map(methods.map((method) => [method.name, method as unknown as Described]))
  const types = new SchemaText(components.schemas, 'types.md')
  const nodes = { besu: await openExampleNode('besu'), geth: await openExampleNode('geth') }
  const byPage = new Map<string, Section[]>()
  for (const [definition, lines] of await sections(described, types, nodes)) {
    const page = pageOf(definition)
    byPage.set(page, [...(byPage.get(page) ?? []), { definition, lines }])
  }
  await Promise.all([nodes.besu.close(), nodes.geth.close()])
  const pages = [...byPage].map(([page, parts]): [string, string] => [
    `methods/${page}.md`,
    [...pageHead(page, parts), ...parts.flatMap(({ lines }) => lines)].join('\n'),
  ])
  return new Map([...pages, ['methods/README.md', indexPage()], ['methods/types.md', typesPage(types)]])
}

interface Section {
  readonly definition: Definition
  readonly lines: readonly string[]
}

/** Sections that are made at the same time, because a node waits before it seals. */
const CONCURRENCY = 8

/** One per definition, or per pair of definitions of the same operation. */
async function sections(
  described: ReadonlyMap<string, Described>,
  types: SchemaText,
  nodes: SharedNodes,
): Promise<[Definition, readonly string[]][]> {
  const shown = DEFINITIONS.filter((definition, at) => {
    const previous = DEFINITIONS[at - 1]
    return previous === undefined || twinOf(previous, definition) === undefined
  })
  const made: [Definition, readonly string[]][] = []
  for (let at = 0; at < shown.length; at += CONCURRENCY) {
    const part = shown.slice(at, at + CONCURRENCY).map(async (definition): Promise<[Definition, readonly string[]]> => {
      const twin = twinOf(definition, DEFINITIONS[DEFINITIONS.indexOf(definition) + 1])
      return [definition, await methodSection(definition, twin, described, types, nodes)]
    })
    made.push(...(await Promise.all(part)))
  }
  return made
}

/** The definition of the same operation whose names answer true instead of null. */
function twinOf(definition: Definition, next: Definition | undefined): Definition | undefined {
  if (next === undefined || next.summary !== definition.summary) return undefined
  return next.params === definition.params ? next : undefined
}

function pageHead(page: string, parts: readonly Section[]): string[] {
  const about = PAGES[page]
  if (about === undefined) throw new Error(`no introduction of the page ${page}`)
  return [
    `# ${page === 'dev' ? 'Dev chain methods' : page === 'rpc' ? 'rpc' : `${page}_*`}`,
    '',
    `${about} [All methods](README.md) · [types](types.md) · [errors](../errors.md)`,
    '',
    '| Method | Purpose |',
    '|---|---|',
    ...parts.map(({ definition: { name, summary } }) => `| [\`${name}\`](#${anchor(name)}) | ${cell(summary)} |`),
    '',
  ]
}

interface Described {
  readonly params: readonly { name: string; summary: string; required: boolean; schema: Schema }[]
  readonly result: { readonly name: string; readonly schema: Schema }
}

async function methodSection(
  definition: Definition,
  twin: Definition | undefined,
  described: ReadonlyMap<string, Described>,
  types: SchemaText,
  nodes: SharedNodes,
): Promise<string[]> {
  const { name, summary, aliases = [], errors, repeatsParam } = definition
  const { params, result } = described.get(name) as Described
  const lines = [`## ${name}`, '', summary.replaceAll('<', '&lt;'), '']
  if (aliases.length > 0) lines.push(`Aliases: ${codes(aliases)}.`, '')
  if (twin !== undefined) {
    const others = [twin.name, ...(twin.aliases ?? [])]
    lines.push(
      `${codes(others)} ${others.length === 1 ? 'does' : 'do'} the same and ${others.length === 1 ? 'answers' : 'answer'} \`true\`.`,
      '',
    )
  }
  if (DEV_ONLY.has(definition) && pageOf(definition) !== 'dev') lines.push('On the dev chain only.', '')
  if (params.length > 0) {
    lines.push('| Parameter | Type | Meaning |', '|---|---|---|')
    for (const { name: param, required, schema, summary: about } of params) {
      const notes = [required ? '' : 'Optional.', repeatsParam === true ? 'May be repeated.' : '', about]
      lines.push(
        `| \`${param}\` | ${cell(types.of(schema))} | ${cell(notes.filter((note) => note !== '').join(' '))} |`,
      )
    }
    lines.push('')
  }
  lines.push(`Result: \`${result.name}\`, ${types.of(result.schema)}.`, '')
  if (errors.length > 0) lines.push(`Errors: ${[...errors].map(errorLink).join(', ')}.`, '')
  return [...lines, ...(await exampleLines(name, nodes))]
}

async function exampleLines(name: string, nodes: SharedNodes): Promise<string[]> {
  const example = EXAMPLES[name]
  if (example === undefined) throw new Error(`test/docs/examples has no example of ${name}`)
  const { params, answers } = await execute(name, example, nodes)
  const request = { jsonrpc: '2.0', id: 1, method: name, params }
  const lines = [
    example.note ?? 'Example:',
    '',
    ...block(request),
    ...block({ jsonrpc: '2.0', id: 1, ...answers.geth }),
  ]
  if (!isDeepStrictEqual(answers.besu, answers.geth)) {
    const [about, part] = difference(answers)
    lines.push(about, '', ...block(part))
  }
  return lines
}

type SharedNodes = Readonly<Record<Profile, ExampleNode>>

async function execute(
  name: string,
  { params = [], before, changesNothing, on }: Example,
  nodes: SharedNodes,
): Promise<Executed> {
  let used: readonly unknown[] = []
  const answers: Partial<Record<Profile, Answer>> = {}
  for (const profile of ['besu', 'geth'] as const) {
    const { chain, call, close } = changesNothing === true ? nodes[profile] : await openExample(on, profile)
    const fromBefore = await before?.(call, chain)
    used = fromBefore ?? (typeof params === 'function' ? params(chain) : params)
    answers[profile] = await call(name, ...used)
    if (changesNothing !== true) await close()
  }
  return { params: used, answers: answers as Record<Profile, Answer> }
}

/** The answer of Besu's profile, or only the members of its result that differ. */
function difference({ besu, geth }: Executed['answers']): [string, unknown] {
  const [a, b] = [besu.result, geth.result]
  const isObject = (value: unknown): value is Record<string, unknown> =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  if (!isObject(a) || !isObject(b)) return ['With `--rpc-profile=besu`:', { jsonrpc: '2.0', id: 1, ...besu }]
  const differing = Object.entries(a).filter(([key, value]) => !isDeepStrictEqual(value, b[key]))
  const missing = Object.keys(b).filter((key) => !(key in a))
  const without = missing.length === 0 ? '' : ` ${codes(missing)} ${missing.length === 1 ? 'is' : 'are'} absent.`
  if (differing.length === 0) return [`With \`--rpc-profile=besu\`:${without}`, {}]
  return [`With \`--rpc-profile=besu\`, these members differ.${without}`, Object.fromEntries(differing)]
}

function block(value: unknown): string[] {
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return []
  return ['```json', jsonSample(value), '```', '']
}

function indexPage(): string {
  const rows = DEFINITIONS.flatMap((definition) =>
    [definition.name, ...(definition.aliases ?? [])].map((name): [string, string] => {
      const at = DEFINITIONS.indexOf(definition)
      const previous = DEFINITIONS[at - 1]
      const shown =
        previous !== undefined && twinOf(previous, definition) === definition ? previous.name : definition.name
      const target = `${pageOf(definition)}.md#${anchor(shown)}`
      return [name, `| [\`${name}\`](${target}) | ${cell(definition.summary)} |`]
    }),
  )
  return [
    '# Methods',
    '',
    'All JSON-RPC methods, generated from their definitions by `npm run docs`. Every answer on these pages is the answer of',
    'a dev chain with the default options, which follows the conventions of geth. Where `--rpc-profile=besu` answers',
    'differently, that answer is shown too. Long values are cut with `…`.',
    '',
    `Pages: ${Object.keys(PAGES)
      .map((page) => `[${page}](${page}.md)`)
      .join(', ')}. See also [types](types.md) and [errors](../errors.md).`,
    '',
    'The blocks behind the answers: block 1 creates an ERC-20 token with a supply of 1000, block 2 transfers 1 ETH from the',
    "first account to the second, block 3 transfers 25 of the token's units, and the transaction of block 4 fails. Each",
    'request is sent to a fresh node with these blocks.',
    '',
    '| Method | Purpose |',
    '|---|---|',
    ...rows.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    '',
  ].join('\n')
}

function typesPage(types: SchemaText): string {
  const lines = [
    '# Types',
    '',
    'The types of parameters and results, generated from the definitions of the methods.',
    '',
    '- **quantity**: an integer in hex without leading zeros: `0x0`, `0x1f`. On the dev chain most methods accept numbers too.',
    '- **bytes**: hex with an even number of digits: `0x`, `0x00ff`.',
    '- **hash**: 32 bytes. **address**: 20 bytes.',
    '',
  ]
  for (const [name, schema] of types.namedTypes()) {
    lines.push(`## ${name}`, '')
    const { properties, required = [], description, ...rest } = schema
    if (typeof description === 'string') lines.push(description, '')
    if (properties === undefined) {
      const members = (required as string[]).length > 0 ? ` with ${codes(required as string[])}` : ''
      lines.push(`${capital(types.of({ ...rest, title: undefined }))}${members}.`, '')
      continue
    }
    lines.push('| Member | Type | |', '|---|---|---|')
    for (const [member, type] of Object.entries(properties as Schemas)) {
      const isRequired = (required as string[]).includes(member)
      lines.push(`| \`${member}\` | ${cell(types.of(type))} | ${isRequired ? 'always' : ''} |`)
    }
    lines.push('')
  }
  return lines.join('\n')
}

export function errorLink(name: string): string {
  const row = errorRow(name)
  return row === undefined ? `\`${name}\`` : `${row.code} [${row.message}](../errors.md#${name.toLowerCase()})`
}

export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9_ -]/g, '')
    .replaceAll(' ', '-')
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ')
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** Text in a table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;')
}
