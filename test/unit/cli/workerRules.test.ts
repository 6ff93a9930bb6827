import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../src/cli/parse.ts'

function parse(...argv: string[]) {
  return parseCommandLine({ argv, environment: {}, readText: () => undefined })
}

describe('--rpc-http-workers', () => {
  it.each([
    [['--ephemeral', '--rpc-http-workers=2'], '--rpc-http-workers needs a chain on disk'],
    [['--rpc-http-workers=2', '--fork-url=http://127.0.0.1:1'], '--rpc-http-workers cannot be combined with a fork'],
    [['--rpc-http-workers=many'], "'many' is neither a number from 0 to 64 nor auto"],
    [['--rpc-http-workers=-1'], "'-1' is neither a number from 0 to 64 nor auto"],
    [['--rpc-http-workers=65'], "'65' is neither a number from 0 to 64 nor auto"],
  ])('is refused in %s', (args, message) => {
    const line = parse(...args)
    expect(line.kind === 'error' && line.message).toContain(message)
  })

  it.each([['0'], ['2'], ['auto']])('may be %s', (value) => {
    expect(parse(`--rpc-http-workers=${value}`).kind).toBe('node')
  })

  it('of 0 has no rules', () => {
    expect(parse('--ephemeral', '--rpc-http-workers=0').kind).toBe('node')
  })
})
