/** Tracers that try to keep the node busy, to fill its memory, or to reach what is outside of the sandbox. */

/** Calls with 2 steps: PUSH0, STOP. */
export const CODE = '0x5f00'

export const inStep = (body: string): string => `{step(log,db){${body}},fault(){},result(){return 1}}`
/** Keeps the value of an expression that a step sees. */
export const inLastStep = (expression: string): string =>
  `{step(log,db){this.seen=(function(ctx){return ${expression}})({})},fault(){},result(){return this.seen}}`
export const inResult = (body: string): string => `{step(){},fault(){},result(ctx,db){${body}}}`

/** Calls a precompile, then fails: PUSH0 (4 times), PUSH1 4, GAS, STATICCALL, INVALID. */
export const CALLING_CODE = '0x5f5f5f5f60045afafe'
export const calling = (place: string): string =>
  `{step(){},enter(frame){},exit(result){},fault(log){},result(){return 1},${place}}`

/** Tracers that would not end, or would take too much memory. */
export const STOPPED: Readonly<Record<string, string>> = {
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
  'an endless loop in compiled text': inStep('eval("while(true);")'),
  'an endless loop in a compiled function': inStep('new Function("while(true);")()'),
  'an endless loop in a static block': inStep('class A { static { while(true); } }'),
  'an endless loop while the code is read': '{[(function(){while(1);})()]:1,fault(){},result(){}}',
  'an endless loop in a result that looks like a list': inResult('return [{get a(){while(1);}}]'),
  'an endless loop in the names of a result': inResult('return new Proxy({},{ownKeys(){while(1);}})'),
  'an endless loop in valueOf': inStep('log.stack.peek({valueOf(){while(1);}})'),
  'an endless loop in the text of a salt': inStep('toContract2("0x1",{toString(){while(1);}},"0x")'),
  'an endless loop in a conversion': inStep('+{[Symbol.toPrimitive](){while(1);}}'),
  'an endless loop in a comparison': inStep('[3,1,2].sort(function(){while(1);})'),
  'an endless loop in a replacement': inStep('"a".replace(/a/,function(){while(1);})'),
  'an endless loop in a reviver': inStep('JSON.parse("[1]",function(){while(1);})'),
  'an endless loop in a thrown proxy': inStep(
    'throw new Proxy(new Error(),{get(){while(1);},getPrototypeOf(){while(1);}})',
  ),
  'an endless loop in the message of an error': inStep('throw {__proto__:Error.prototype,get message(){while(1);}}'),
  'an endless loop in the result of a test of instances': inStep(
    'Object.defineProperty(Uint8Array,Symbol.hasInstance,{value(){while(1);}});toHex({})',
  ),
  'an endless asynchronous function': inStep('(async function(){for(;;);})()'),
  'an endless asynchronous generator': inStep('(async function*(){for(;;);})().next();while(1);'),
  'an endless loop in a label': inStep('a:for(;;){for(;;)continue a}'),
  'an endless growth of a property': inResult('return {toJSON(){return {get a(){while(1);}}}}'),
  'powers of a long integer': inStep('var x=2n**20000n;while(1)x=(x**3n)%(2n**20000n-1n)'),
  'a long text as integer': inStep('while(1)bigInt("9".repeat(200000))'),
  'a division of long integers': inStep('var a=3n**500000n,b=7n**100000n;while(1)a%b'),
  'a search with a hostile pattern': inStep('while(1)/(a*)*b/.test("a".repeat(30))'),
  'a split of a long text': inStep('while(1)"ab".repeat(1<<18).split("b").join("b")'),
  'a normalization': inStep('while(1)"\u1e9b\u0323".repeat(10000).normalize("NFKD")'),
  'a comparison of long texts': inStep('var a="a".repeat(1<<24),b=a+"";while(1)a.localeCompare(b)'),
  'copies of the memory': inStep('while(1)log.memory.slice(0,1000000)'),
  'texts of long buffers': inStep('var b=new Uint8Array(1<<20);while(1)toHex(b)'),
  'questions without end': inResult('while(1)db.getBalance(ctx.from)'),
}

/** Tracers that fail, with a part of the error. On a slow machine, some reach the time limit first. */
export const REFUSED: Readonly<Record<string, readonly [tracer: string, error: string]>> = {
  'a text that doubles': [inStep('var s="x";while(1)s+=s'), 'string too long|memory'],
  'arrays that fill the memory': [inStep('var a=[];while(1)a=[a,new Array(1000).fill(a)]'), 'memory|without a pause'],
  'a large buffer': [inStep('new ArrayBuffer(2**31)'), 'memory|invalid array'],
  'buffers that fill the memory': [inStep('var a=[];while(1)a.push(new Uint8Array(1<<20))'), 'memory|without a pause'],
  'a large integer': [inStep('var x=2n;while(1)x=x*x'), 'BigInt|memory|without a pause'],
  'a deep recursion': [inStep('(function f(){f()})()'), 'stack'],
  'a deep recursion of getters': [inStep('var o={get x(){return this.x}};o.x'), 'stack'],
  'a deep recursion of JSON': [
    inResult('var o={};for(var i=0;i<1e6;i++)o={o};return o'),
    'stack|too often|without a pause',
  ],
  'a deep nesting of the code': [`${'['.repeat(50_000)}`, 'stack|expecting|too often'],
  'a long result': [inResult('return "x".repeat(17<<20)'), 'longer|without a pause'],
  'a circle': [inResult('var o={};o.o=o;return o'), 'circular'],
  'init code that is too long': [inStep('toContract2("0x1","0x1",new Uint8Array(3<<20))'), 'too long'],
}

/** Tracers that fill the memory in further ways, each for seconds: test/long runs them. */
export const FILLING: typeof REFUSED = {
  'texts that fill the memory': [
    inStep('var a=[];while(1)a.push("x".repeat(1<<20)+a.length)'),
    'memory|without a pause',
  ],
  'a map that fills the memory': [inStep('var m=new Map();for(var i=0;;i++)m.set(i,i)'), 'memory|without a pause'],
  'closures that fill the memory': [
    inStep('var f=0;while(1){let g=f;f=function(){return g}}'),
    'memory|without a pause',
  ],
}

/** Tracers that misuse what they are given: each is refused with this error, or does no harm and has this result. */
export const MISUSES: Readonly<Record<string, readonly [tracer: string, outcome: string | RegExp]>> = {
  'a slice beyond the memory': [inStep('log.memory.slice(0,2**40)'), /reached limit for padding memory slice/i],
  'a slice before the memory': [inStep('log.memory.slice(-1,2)'), /out of bound memory/i],
  'a slice of no number': [inStep('log.memory.slice(NaN,{})'), '1'],
  'a word beyond the memory': [inStep('log.memory.getUint(2**53)'), /out of bound memory/i],
  'an item below the stack': [inStep('log.stack.peek(-1)'), /out of bound stack/i],
  'an item far below the stack': [inStep('log.stack.peek(1e300)'), /out of bound stack/i],
  'an item of no number': [inStep('log.stack.peek(Symbol())'), /symbol/i],
  'a slice that ends before it begins': [inStep('slice(new Uint8Array(9),5,2)'), /out of bound memory/i],
  'text in place of bytes': [inStep('toHex("0x00")'), /invalid buffer type/i],
  'an object in place of an address': [inResult('return db.getBalance({length:20})'), /invalid buffer type/i],
  'a text in place of an address': [inResult('return db.getCode("0x00")'), /invalid buffer type/i],
  'an endless array of a proxy': [
    inStep('toHex(new Proxy([],{get(t,k){return k==="length"?2**53:0},has(){return true}}))'),
    /not iterable/,
  ],
  'a sparse array in place of an address': [
    inResult('var a=[];a.length=2**32-1;return db.exists(a)'),
    /array|memory|without a pause/i,
  ],
  'an endless nonce': [inResult('return toContract("0x1",Infinity).length'), '20'],
  'a nonce that is no number': [inResult('return toContract("0x1",{}).length'), '20'],
  'bytes that are no bytes': [
    inResult('class A extends Uint8Array{subarray(){return {length:1e9}}};return db.exists(new A(20))'),
    /offset|range|out of/i,
  ],
  'a forged test of instances': [
    inResult('Object.defineProperty(Uint8Array,Symbol.hasInstance,{value:()=>true});return db.exists({})'),
    /not a function/i,
  ],
  'a thrown object without a prototype': [inStep('throw Object.create(null)'), /an error whose text cannot be read/],
  'a thrown symbol': [inStep('throw Symbol("secret")'), /Symbol\(secret\)/],
  'a thrown proxy that has no text': [
    inStep('throw new Proxy({},{get(){throw 1}})'),
    /an error whose text cannot be read/,
  ],
  'an error with a hostile text': [
    inStep('throw {toString(){throw {toString(){throw 3}}}}'),
    /an error whose text cannot be read/,
  ],
  'a revoked proxy': [
    inStep('var r=Proxy.revocable({},{});r.revoke();throw r.proxy'),
    /an error whose text cannot be read/,
  ],
  'a result that is a revoked proxy': [inResult('var r=Proxy.revocable({},{});r.revoke();return r.proxy'), /revoked/i],
  'a result that is a function': [inResult('return function(){}'), 'null'],
  'a result of integers': [inResult('return 1n'), /BigInt/i],
  'a result with an endless number': [inResult('return Infinity'), /unsupported value/i],
  'a result with a prototype': [
    inResult('return JSON.parse(\'{"__proto__":{"left":1}}\')'),
    '{"__proto__":{"left":1}}',
  ],
  'a result with half a character': [inResult('return "\\ud800"'), '"\\ud800"'],
  'a result that ends the answer': [inResult('return "\\"}],\\u2028\\u0000</script>"'), /script/i],
  'a promise': [inResult('return Promise.resolve(1)'), '{}'],
  'an asynchronous result': ['{async step(){},fault(){},async result(){return 1}}', '{}'],
  'a generator': ['{*step(){},fault(){},*result(){yield 1}}', '{}'],
  'a module': [inResult('return typeof import("fs").then'), '"function"'],
  'a static import': ['import fs from "fs"', /SyntaxError|expecting|unexpected/i],
  'code that closes the brackets': ['{fault(){},result(){}});while(false);({fault(){},result(){return 5}}', '5'],
  'hidden characters': ['{\u200bstep(){},fault(){},result(){}}', /unexpected|invalid|expecting/i],
  'letters of other scripts': ['{r\\u0065sult(){return 6},f\\u{61}ult(){}}', '6'],
  'text that runs backwards': [inResult('return "\u202e6"'), '"\u202e6"'],
  'an unending line': [inResult(`return 1/*${' '.repeat(900_000)}*/`), '1'],
  'an inherited tracer': ['{__proto__:{step(){},fault(){},result(){return 8}}}', '8'],
  'a finalizer that never ends': [
    '{step(){},fault(){},result(){typeof FinalizationRegistry==="function"&&new FinalizationRegistry(function(){while(1);}).register({},1);return 9}}',
    '9',
  ],
  'a changed conversion to JSON': [inResult('JSON.stringify=function(){return "}"};return {a:1}'), '{"a":1}'],
  'a changed conversion to text': [inResult('String=eval=JSON.parse=0;return {a:2}'), '{"a":2}'],
  'a record that a tracer forges': [
    // The first call of `set` on the shared memory shows it; then no step has its stack any more.
    `{step(log,db){
      var set=Uint8Array.prototype.set
      Uint8Array.prototype.set=function(){if(this.length>1000)this.fill(0);return set.apply(this,arguments)}
      try{db.exists(log.contract.getAddress())}finally{Uint8Array.prototype.set=set}
      log.stack.peek(0)
    },fault(){},result(){return 1}}`,
    /out of bound stack|changed/i,
  ],
  'a record that a tracer forges without end': [
    `{step(log,db){
      if(log.stack.length()===0)return
      var set=Uint8Array.prototype.set,shared
      Uint8Array.prototype.set=function(){if(this.length>1000)shared=this;return set.apply(this,arguments)}
      db.exists(log.contract.getAddress())
      Uint8Array.prototype.set=set
      var words=new Uint32Array(shared.buffer),i
      for(i=0;i<words.length;i++)if(words[i]===1)words[i]=0x10000
      words.fill(0xffffffff,8192)
      log.memory.length()
      log.stack.peek(0)
    },fault(){},result(){return 1}}`,
    /data of a step that are gone, or changed/,
  ],
}

/** Expressions whose value a tracer must not see. */
export const ABSENT: readonly string[] = [
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
  'typeof globalThis.process',
  'typeof this.process',
  'typeof self',
  'typeof window',
  'typeof global',
  'typeof importScripts',
  'typeof XMLHttpRequest',
  'typeof WebSocket',
  'typeof Worker',
  'typeof navigator',
  'typeof queueMicrotask',
  'typeof structuredClone',
  'typeof performance',
  'typeof scriptArgs',
  'typeof __dirname',
  'typeof exports',
  'typeof ask',
  'typeof memory',
  'typeof bytes',
  'typeof log.constructor.constructor("return this")().fetch',
  'typeof ctx.constructor.constructor("return this")().Deno',
  'typeof Reflect.construct(Function,["return this"])().require',
  'typeof (0,eval)("this").process',
]
