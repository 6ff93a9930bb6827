/**
 * Gives short names to what no reader of a stack trace sees: variables, parameters, private fields. Functions, classes and
 * methods keep theirs.
 * @module
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { minify, parse, Visitor } from 'rolldown/utils'

/** Lines end at the next statement. Node prints the whole line of an uncaught error. */
const LINE_LENGTH = 500
/** A private name that a method has. No name that is made is as long. */
const PRIVATE_METHOD = /(?<![.$\\])#([A-Za-z_$][\w$]{3,})\(/g
const PRIVATE_NAME = /(?<!\\)(\w?)#([A-Za-z_$][\w$]{3,})/g
/** Stands for the # of a private method, because all private names are shortened, and names of properties are not. */
const MARK = 'PRIVATE$METHOD$'
/** Stands for it behind a word, as in `async#run()`. */
const MARK_AFTER_WORD = ' PRIVATE$METHOD$AFTER$WORD$'
/** Bundlers look for strings in these places. */
const TEMPLATE_FOR_BUNDLERS = /(\bimport\(|\bnew URL\(|\btype:)`([\w./-]+)`/g

/**
 * @param {string} file is replaced; a bundle that is printed without unneeded white space
 * @param {{ isModule?: boolean }} [options] `isModule` is false for a script
 */
export async function shortenNames(file, { isModule = true } = {}) {
  const { code, errors } = await minify(file, markPrivateMethods(readFileSync(file, 'utf8'), file), {
    module: isModule,
    compress: false,
    mangle: { keepNames: true },
    codegen: { removeWhitespace: true },
  })
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}`)
  const named = code.replaceAll(MARK_AFTER_WORD, '#').replaceAll(MARK, '#').replaceAll(TEMPLATE_FOR_BUNDLERS, '$1"$2"')
  // The program is read as Latin-1, and servers may name no character set.
  const ascii = named.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  writeFileSync(file, await inLines(ascii, isModule))
}

function markPrivateMethods(text, file) {
  if (text.includes(MARK)) throw new Error(`${file} contains ${MARK}`)
  const methods = new Set([...text.matchAll(PRIVATE_METHOD)].map(([, name]) => name))
  return text.replaceAll(PRIVATE_NAME, (found, before, name) =>
    methods.has(name) ? `${before}${before === '' ? MARK : MARK_AFTER_WORD}${name}` : found,
  )
}

async function inLines(code, isModule) {
  const starts = []
  const addAll = (members) => starts.push(...members.map(({ start }) => start))
  const { program, errors } = await parse('bundle.js', code, { sourceType: isModule ? 'module' : 'script' })
  if (errors.length > 0) throw new Error(errors[0].message)
  new Visitor({
    Program: ({ body }) => addAll(body),
    BlockStatement: ({ body }) => addAll(body),
    ClassBody: ({ body }) => addAll(body),
    SwitchCase: ({ consequent }) => addAll(consequent),
  }).visit(program)
  const lines = []
  let from = 0
  for (const start of starts.sort((a, b) => a - b)) {
    if (start - from < LINE_LENGTH) continue
    lines.push(code.slice(from, start))
    from = start
  }
  return [...lines, code.slice(from)].join('\n')
}
