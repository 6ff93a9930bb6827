import { expect, it, vi } from 'vitest'
import { createBrowserNode } from '../../../../adapters/browser/browser.ts'
import { internalsOf } from '../../../../adapters/shared/localNode.ts'

it('a page executes with the reference EVM where compiling WebAssembly is forbidden', async () => {
  const compile = vi.spyOn(WebAssembly, 'compile').mockRejectedValue(new WebAssembly.CompileError('forbidden'))
  try {
    await expect(createBrowserNode({ storage: 'memory' })).rejects.toMatchObject({
      code: 'WASM_UNAVAILABLE',
      message: expect.stringContaining('pass loadReferenceEvm'),
    })
    const loadReferenceEvm = () => import('../../../../adapters/browser/referenceEvm.ts')
    const node = await createBrowserNode({ storage: 'memory', loadReferenceEvm })
    const { request } = node
    expect(internalsOf(node).evm).toBe('reference')
    // Returns the 4 bytes 0xdeadbeef.
    expect(await request('eth_call', [{ data: '0x63deadbeef5f526004601cf3' }, 'latest'])).toBe('0xdeadbeef')
  } finally {
    compile.mockRestore()
  }
})
