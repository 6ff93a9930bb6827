/**
 * The recorded requests of four chains on everything that answers: a sample of the first chain, or all of them and the table of the
 * README.
 *
 *   ISONODE_LONG_COUNT=1000 npx vitest run --config test/runtime/vitest.config.ts test/runtime/sameAnswers.test.ts
 *
 * With ISONODE_WRITE_DOCS=1 it writes the table.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import process from 'node:process'
import type { BuildOptions } from 'esbuild'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { pageModules } from '../../adapters/server/build/pageModules.mjs'
import { launchChromium, needsChromium } from '../support/host/chromium.ts'
import { needsData } from '../support/host/needsData.ts'
import { conformancePath, recordedPath } from '../support/recorded/conformance.ts'
import { type Answer, type RecordedCase, recordedCases, runCase, type Send } from '../support/recorded/recordedCases.ts'
import { compareGraphql, deviationOf, graphqlCases } from '../support/recorded/recordedGraphql.ts'
import { type Difference, exact } from '../support/rpc/compareRpc.ts'
import {
  type Answering,
  openPage,
  openProgram,
  openReplica,
  openWorker,
  type PublishedMirror,
  publish,
} from './support/answering.ts'
import { type Bundle, bundle } from './support/bundle.ts'
import { REPOSITORY } from './support/chains.ts'
import { bundleWorker } from './support/worker.ts'

const KINDS = ['eth', 'graphql', 'traces'] as const
type Kind = (typeof KINDS)[number]
type Outcome = 'same' | 'not offered' | 'different'

interface Question {
  readonly kind: Kind
  readonly name: string
  /** Asks, and compares with the recorded answer. @returns what was answered */
  ask(target: Answering): Promise<Answered>
}

interface Answered {
  /** Apart from a known deviation. */
  readonly isAsRecorded: boolean
  readonly answers: readonly Answer[]
}

const CHAINS = [
  { name: 'frontier', options: ['--network-id=123', '--min-gas-price=0'] },
  { name: 'london', options: [] },
  { name: 'cancun', options: [] },
  { name: 'trace', options: ['--revert-reason-enabled'] },
]
const RUNTIMES = [
  'Node',
  'Deno',
  'Bun',
  'replica',
  'Worker, R2',
  'Worker, Workers KV',
  'page, files of a web server',
] as const
type RuntimeName = (typeof RUNTIMES)[number]

/** Names of requests that a runtime does not answer. */
const NOT_OFFERED: Partial<Readonly<Record<RuntimeName, RegExp>>> = {
  replica: /sendRawTransaction/,
  'Worker, R2': /sendRawTransaction|Filter/,
  'Worker, Workers KV': /sendRawTransaction|Filter/,
  'page, files of a web server': /sendRawTransaction|^graphql/,
}

/** Questions of each kind in a sample, which is of the first chain. */
const SAMPLE = 12
const whole = process.env['ISONODE_LONG_COUNT'] !== undefined
const perKind = Number(process.env['ISONODE_LONG_COUNT'] ?? SAMPLE)
const README = path.join(REPOSITORY, 'README.md')
const isWriting = process.env['ISONODE_WRITE_DOCS'] === '1'

const NONE: Readonly<Record<Outcome, number>> = { same: 0, 'not offered': 0, different: 0 }
/** By runtime and kind. */
const counts = new Map<string, Readonly<Record<Outcome, number>>>()

describe('the recorded answers', { ...needsData('besu/trace/cases'), ...needsChromium }, () => {
  let home = ''
  let worker: Bundle
  let library: Bundle
  let browser: Browser
  const folder = (): string => mkdtempSync(path.join(home, 'part-'))

  beforeAll(async () => {
    home = mkdtempSync(path.join(tmpdir(), 'isonode-answers-'))
    worker = await bundleWorker(folder())
    const page: BuildOptions = { platform: 'browser', splitting: true, plugins: [pageModules] }
    library = await bundle('test/runtime/support/browserEntry.ts', folder(), page)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser?.close()
    rmSync(home, { recursive: true, force: true })
  })

  describe.each(whole ? CHAINS : CHAINS.slice(0, 1))('of $name', ({ name, options }) => {
    const chain = {
      genesisFile: recordedPath(`besu/${name}`, 'genesis.json'),
      blocksFile: recordedPath(`besu/${name}`, 'blocks.bin'),
      options,
    }
    let questions: readonly Question[] = []
    const reference = new Map<string, Answered>()
    let mirror: PublishedMirror

    beforeAll(async () => {
      questions = questionsOf(name)
      const directory = folder()
      const node = await openProgram('Node', chain, directory)
      for (const question of questions) reference.set(question.name, await question.ask(node))
      await node.close()
      const others = [...reference].filter(([, { isAsRecorded }]) => !isAsRecorded).map(([question]) => question)
      expect(others).toEqual([])
      mirror = await publish(chain, directory, home)
    }, 300_000)

    const open = (runtime: RuntimeName): Promise<Answering> => {
      switch (runtime) {
        case 'replica':
          return openReplica(mirror)
        case 'Worker, R2':
          return openWorker(worker, 'r2', mirror)
        case 'Worker, Workers KV':
          return openWorker(worker, 'kv', mirror)
        case 'page, files of a web server':
          return openPage(browser, library, mirror)
        default:
          return openProgram(runtime, chain, folder())
      }
    }

    it.each(RUNTIMES)(
      'on %s',
      async (runtime) => {
        const target = await open(runtime)
        const different: object[] = []
        try {
          for (const question of questions) {
            const answered = await question.ask(target)
            const expected = reference.get(question.name) as Answered
            const outcome = outcomeOf(answered, expected)
            count(runtime, question.kind, outcome)
            const isKnown = outcome === 'not offered' && NOT_OFFERED[runtime]?.test(question.name) === true
            if (outcome !== 'same' && !isKnown)
              different.push({ name: question.name, ...differenceOf(answered, expected) })
          }
        } finally {
          await target.close()
        }
        expect(different).toEqual([])
      },
      300_000,
    )
  })

  if (whole) {
    it('are counted in the README', () => {
      const [before = '', rest = ''] = readFileSync(README, 'utf8').split('<!-- table: answers -->\n')
      const after = rest.slice(rest.indexOf('<!-- end of table: answers -->'))
      const text = `${before}<!-- table: answers -->\n\n${table().join('\n')}\n\n${after}`
      if (isWriting) writeFileSync(README, text)
      expect(readFileSync(README, 'utf8')).toBe(text)
    })
  }
})

function count(runtime: RuntimeName, kind: Kind, outcome: Outcome): void {
  const key = `${runtime} ${kind}`
  const numbers = counts.get(key) ?? NONE
  counts.set(key, { ...numbers, [outcome]: numbers[outcome] + 1 })
}

function table(): string[] {
  const cell = (runtime: RuntimeName, kind: Kind): string => {
    const { same, different, 'not offered': absent } = counts.get(`${runtime} ${kind}`) ?? NONE
    return same === 0 ? 'not offered' : `${same} of ${same + absent + different}`
  }
  return [
    '| | `eth` | GraphQL | traces |',
    '|---|---:|---:|---:|',
    ...RUNTIMES.map((runtime) => `| ${runtime} | ${KINDS.map((kind) => cell(runtime, kind)).join(' | ')} |`),
  ]
}

/** Whether a runtime answers as Node does. */
function outcomeOf(answered: Answered, expected: Answered): Outcome {
  if (differenceOf(answered, expected) === undefined) return 'same'
  return answered.answers.some(isNotOffered) && !expected.answers.some(isNotOffered) ? 'not offered' : 'different'
}

/** @returns the first difference */
function differenceOf(answered: Answered, expected: Answered): Difference | undefined {
  return exact(parsed(expected), parsed(answered), '$')
}

function parsed({ isAsRecorded, answers }: Answered): unknown {
  return { isAsRecorded, answers: answers.map(({ status, body }) => [status, body === '' ? '' : JSON.parse(body)]) }
}

function isNotOffered({ status, body }: Answer): boolean {
  return status === 404 || /"(?:c|errorC)ode":-3260[14]\b/.test(body)
}

function questionsOf(chain: string): Question[] {
  const cases = (pattern: RegExp, kind: Kind): Question[] =>
    recordedCases(recordedPath(`besu/${chain}`, 'cases'), (group) => pattern.test(group)).map((recorded) =>
      rpcQuestion(recorded, kind),
    )
  const hasGraphql = conformancePath(`besu/${chain}`, 'cases/graphql') !== undefined
  const graphql = (hasGraphql ? graphqlCases(`besu/${chain}`) : []).map(
    (recorded): Question => ({
      kind: 'graphql',
      name: `graphql/${recorded.name}`,
      ask: async ({ graphql: send }) => {
        if (send === undefined) return { isAsRecorded: false, answers: [{ status: 404, body: '' }] }
        const { query, variables } = recorded
        const answer = await send(JSON.stringify({ query, variables }))
        const difference = compareGraphql(recorded, answer.status, JSON.parse(answer.body))
        const isKnown = deviationOf(`besu/${chain}`, recorded) !== undefined
        return { isAsRecorded: (difference !== undefined) === isKnown, answers: [answer] }
      },
    }),
  )
  const sets = [cases(/^eth_/, 'eth'), graphql, cases(/^(?:debug_trace|trace_)/, 'traces')]
  return sets.flatMap((set) => sampled(set, perKind))
}

function rpcQuestion(recorded: RecordedCase, kind: Kind): Question {
  return {
    kind,
    name: `${recorded.group}/${path.basename(recorded.file)}`,
    ask: async ({ rpc }) => {
      const answers: Answer[] = []
      const send: Send = async (body) => {
        const answer = await rpc(body)
        // Filters have random names.
        answers.push(
          /"eth_new\w*Filter"/.test(body) && answer.status === 200 && !isNotOffered(answer)
            ? { ...answer, body: '' }
            : answer,
        )
        return answer
      }
      const difference = await runCase(recorded, send)
      return { isAsRecorded: difference === undefined, answers }
    },
  }
}

/** Evenly from the whole list. */
function sampled<T>(list: readonly T[], most: number): T[] {
  const size = Math.min(most, list.length)
  return Array.from({ length: size }, (_, i) => list[Math.floor((i * list.length) / size)] as T)
}
