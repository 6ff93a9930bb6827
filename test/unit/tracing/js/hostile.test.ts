// slow: each tracer runs until it is stopped
import { afterAll, describe, expect, it } from 'vitest'
import { scriptEngine } from '../../../../adapters/server/scriptEngine.ts'
import { openDevNode } from '../../../support/nodes/devNodeInMemory.ts'

/** Calls with 2 steps: PUSH0, STOP. */
const CODE = '0x5f00'

const inStep = (body: string): string => `{step(log,db){${body}},fault(){},result(){return 1}}`
const inResult = (body: string): string => `{step(){},fault(){},result(ctx,db){${body}}}`

/** Tracers that would not end, or would take too much memory. */
const STOPPED: Readonly<Record<string, string>> = {
  'an endless loop in step': inStep('while(true);'),
  'an endless loop in result': inResult('for(;;){}'),
  'an endless loop in setup': '{setup(){while(1);},fault(){},result(){}}',
  'an endless loop outside of functions': '(function(){while(1);})()',
  'an endless loop in a getter': '{get result(){while(1);},fault(){}}',
  'an endless loop that catches everything': inStep('while(1){try{while(1);}catch(e){}}'),
  'an endless loop in toJSON': inResult('return {toJSON(){while(1);}}'),
  'an endless loop in a thrown value': inStep('throw {toString(){while(1);}}'),
  'an endless generator': inStep('for(const x of (function*(){for(;;)yield 1})());'),
  'an endless iterator': inStep('Array.from({[Symbol.iterator](){return{next(){return{}}}}})'),
  'a proxy that never answers': inStep('new Proxy({}, {get(){while(1);}}).x'),
  'an endless recursion of promises': inStep('(function f(){return Promise.resolve().then(f)})();while(1);'),
  'a search in an endless array': inStep('Array.prototype.indexOf.call({length:2**53-1},1)'),
  'a search for the last item': inStep('Array.prototype.lastIndexOf.call({length:2**53-1},1)'),
  'an inclusion test': inStep('Array.prototype.includes.call({length:2**53-1},1)'),
  'a reversal': inStep('Array.prototype.reverse.call({length:2**53-1})'),
  'a fill': inStep('Array.prototype.fill.call(new Proxy({length:2**53-1},{}),0)'),
  'a sort of holes': inStep('var a=[];a.length=2**32-1;a.sort()'),
  'a join of holes': inStep('var a=[];a.length=2**32-1;a.join("x".repeat(1000))'),
  'a move of holes': inStep('Array.prototype.copyWithin.call({length:2**53-1},1,2)'),
  'a visit of holes': inStep('Array.prototype.forEach.call({length:2**53-1},function(){})'),
  'a shift of holes': inStep('Array.prototype.unshift.call({length:2**50},1)'),
  'a search in a long text': inStep('var s="a".repeat(1<<24);s.indexOf("a".repeat(1<<23)+"b")'),
  'a last search in a long text': inStep('var s="a".repeat(1<<24);s.lastIndexOf("a".repeat(1<<23)+"b")'),
  'a replacement in a long text': inStep('var s="a".repeat(1<<23);while(1)s.replaceAll("a".repeat(1<<22)+"b","")'),
  'a regular expression': inStep('/^(a+)+$/.test("a".repeat(64)+"b")'),
  'a regular expression with references': inStep(String.raw`/(x+x+)+\1y/.test("x".repeat(5000))`),
  'a power of integers': inStep('var x=3n;while(1)x=x*x%(2n**65536n)'),
  'a long integer as text': inStep('while(1)(2n**900000n).toString()'),
  'a test for a prime': inStep('while(1)bigInt(2).pow(4423).minus(1).isPrime()'),
  'init code without end': inStep('var c=new Uint8Array(1<<21);while(1)toContract2("0x1","0x1",c)'),
  'questions without end': inResult('while(1)db.getBalance(ctx.from)'),
}

/** Tracers that fail, with a part of the error. On a slow machine, some reach the time limit first. */
const REFUSED: Readonly<Record<string, readonly [tracer: string, error: string]>> = {
  'texts that fill the memory': [inStep('var a=[];while(1)a.push("x".repeat(1<<20)+a.length)'), 'memory'],
  'a text that doubles': [inStep('var s="x";while(1)s+=s'), 'string too long|memory'],
  'arrays that fill the memory': [inStep('var a=[];while(1)a=[a,new Array(1000).fill(a)]'), 'memory|for too long'],
  'a large buffer': [inStep('new ArrayBuffer(2**31)'), 'memory|invalid array'],
  'buffers that fill the memory': [inStep('var a=[];while(1)a.push(new Uint8Array(1<<20))'), 'memory'],
  'a map that fills the memory': [inStep('var m=new Map();for(var i=0;;i++)m.set(i,i)'), 'memory|for too long'],
  'closures that fill the memory': [inStep('var f=0;while(1){let g=f;f=function(){return g}}'), 'memory|for too long'],
  'a large integer': [inStep('var x=2n;while(1)x=x*x'), 'BigInt|memory'],
  'a deep recursion': [inStep('(function f(){f()})()'), 'stack'],
  'a deep recursion of getters': [inStep('var o={get x(){return this.x}};o.x'), 'stack'],
  'a deep recursion of JSON': [
    inResult('var o={};for(var i=0;i<1e6;i++)o={o};return o'),
    'stack|too often|for too long',
  ],
  'a deep nesting of the code': [`${'['.repeat(50_000)}`, 'stack|expecting|too often'],
  'a long result': [inResult('return "x".repeat(17<<20)'), 'longer'],
  'a circle': [inResult('var o={};o.o=o;return o'), 'circular'],
  'init code that is too long': [inStep('toContract2("0x1","0x1",new Uint8Array(3<<20))'), 'too long'],
}

/** Expressions whose value a tracer must not see. */
const ABSENT: readonly string[] = [
  'typeof process',
  'typeof require',
  'typeof module',
  'typeof Buffer',
  'typeof fetch',
  'typeof WebAssembly',
  'typeof setTimeout',
  'typeof Deno',
  'typeof Bun',
  'typeof std',
  'typeof os',
  'typeof console',
  'typeof print',
  'typeof globalThis.constructor.constructor("return this")().process',
  'typeof (function(){}).constructor("return typeof process === \'undefined\' ? undefined : process")()',
  'typeof db.getBalance.constructor("return this")().process',
  'typeof toHex.constructor.constructor("return this")().require',
  'typeof Object.getPrototypeOf(async function(){}).constructor("return this")().process',
  'typeof [].constructor.constructor("return this")().global',
]

describe('hostile tracers', async () => {
  const { rpc, node } = await openDevNode({}, undefined, { scripts: scriptEngine })
  const to = '0x00000000000000000000000000000000000000aa'
  const stateOverrides = { [to]: { code: CODE } }
  const run = (tracer: string, timeout = '30s'): Promise<unknown> =>
    rpc('debug_traceCall', { to }, 'latest', { tracer, stateOverrides, timeout })
  afterAll(() => node.close())

  it.each(Object.entries(STOPPED))('%s is stopped', { timeout: 60_000 }, async (_, tracer) => {
    await expect(run(tracer, '100ms')).rejects.toThrow(/execution timeout|execution aborted|memory/)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
  })

  it.each(Object.entries(REFUSED))('%s is refused', { timeout: 60_000 }, async (_, [tracer, error]) => {
    await expect(run(tracer)).rejects.toThrow(new RegExp(error, 'i'))
    expect(await run(inResult('return 7'))).toBe(7)
  })

  it.each(ABSENT)('%s is undefined', async (expression) => {
    expect(await run(inResult(`return ${expression}`))).toBe('undefined')
  })

  it('a tracer leaves nothing behind for the next one', async () => {
    expect(await run(inStep('globalThis.left=1;Object.prototype.left=1;Array.prototype.map=0;JSON.stringify=0'))).toBe(
      1,
    )
    expect(await run(inResult('return [typeof left, ({}).left === undefined, typeof [].map]'))).toEqual([
      'undefined',
      true,
      'function',
    ])
  })

  it('a prototype that a tracer changes is its own', async () => {
    const tracer =
      '{step(){Uint8Array.prototype.slice=function(){this.buffer.transfer&&this.buffer.transfer();return this}},fault(){},result(ctx){return 1}}'
    expect(await run(tracer)).toBe(1)
    expect(await rpc('eth_blockNumber')).toBe('0x0')
    expect(({} as { left?: unknown }).left).toBeUndefined()
  })
})
