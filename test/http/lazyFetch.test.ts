import { describe, expect, it, vi } from 'vitest'
import { lazyFetch } from '../../src/http/lazyFetch.ts'

describe('a node that is built with its first request', () => {
  it('is built once, and again only when that failed', async () => {
    const build = vi.fn(async (name: string) => () => new Response(name))
    build.mockRejectedValueOnce(new Error('no store'))
    const fetch = lazyFetch(build)
    const request = new Request('http://localhost/')
    await expect(fetch(request, 'a')).rejects.toThrow('no store')
    const answers = await Promise.all([fetch(request, 'b'), fetch(request, 'c')])
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['b', 'b'])
    expect(build).toHaveBeenCalledTimes(2)
  })
})
