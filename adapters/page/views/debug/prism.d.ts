declare module 'prismjs/components/prism-core.js' {
  const prism: {
    readonly languages: Readonly<Record<string, object | undefined>>
    tokenize(text: string, grammar: object): unknown
  }
  export default prism
}
declare module 'prismjs/components/prism-clike.js' {}
declare module 'prismjs/components/prism-solidity.js' {}
