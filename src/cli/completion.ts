/**
 * Scripts that complete command lines in a shell, from the option table.
 * @module
 */
import { COMMAND_OPTIONS, GROUPS, OPTIONS, type OptionSpec, type OptionTable } from '../config/options.ts'
import { COMMAND_NAMES, COMMANDS, FIRST_WORDS, INFO_COMMANDS } from './commandTable.ts'
import { namesOf } from './optionText.ts'
import { wordHint } from './suggest.ts'
import { invalidOption } from './values.ts'

const SHELLS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/**
 * @param shell bash, zsh or fish
 * @throws {NodeError} INVALID_OPTION
 */
export function completionScript(shell: string | undefined): string {
  const names = Object.keys(SHELLS)
  const shellName = names.find((name) => name === shell)
  if (shellName !== undefined) return SHELLS[shellName as keyof typeof SHELLS]()
  if (shell === undefined) throw invalidOption(`Missing shell: isonode completion ${names.join('|')}`)
  throw invalidOption(
    `There is no completion for '${shell}': expected one of ${names.join(', ')}${wordHint(shell, names)}`,
  )
}

interface Entry {
  readonly name: string
  readonly spec: OptionSpec
}

/** Options with an effect. */
function entriesOf(table: OptionTable): Entry[] {
  return Object.entries(table)
    .filter(([, { later, hidden }]) => later === undefined && hidden !== true)
    .map(([name, spec]) => ({ name, spec }))
}

const NODE_ENTRIES = entriesOf(OPTIONS)
const TOPICS = [...Object.keys(GROUPS), 'compatibility', 'all']

/** Values that can be completed, in lower case. */
function valuesOf({ name, spec }: Entry): readonly string[] {
  if (name === 'help') return TOPICS
  return (spec.choices ?? []).map((choice) => choice.toLowerCase())
}

function takesValue({ spec }: Entry): boolean {
  return spec.type !== 'boolean'
}

function longNames({ name, spec }: Entry): string[] {
  return namesOf(name, spec).filter((text) => text.startsWith('--'))
}

function secondWords(first: string): string[] {
  return COMMAND_NAMES.filter((name) => name.startsWith(`${first} `)).map((name) => name.split(' ')[1] as string)
}

/** Words that may follow a first word: second words of commands, topics, shells. */
function followers(): [first: string, words: readonly string[]][] {
  return FIRST_WORDS.map((first): [string, readonly string[]] => {
    if (first === 'help') return [first, [...FIRST_WORDS, ...TOPICS]]
    if (first === 'completion') return [first, Object.keys(SHELLS)]
    return [first, secondWords(first)]
  }).filter(([, words]) => words.length > 0)
}

const HEADER = '# Completion of isonode'

function bashScript(): string {
  const all = [...NODE_ENTRIES, ...COMMAND_NAMES.flatMap((name) => entriesOf(COMMAND_OPTIONS[name]))]
  const cases = all.flatMap((entry) => {
    const names = namesOf(entry.name, entry.spec).join('|')
    const values = valuesOf(entry)
    if (values.length > 0)
      return [`    ${names}) COMPREPLY=($(compgen -W "${values.join(' ')}" -- "$current")); return ;;`]
    if (entry.spec.form === 'file')
      return [`    ${names}) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")); return ;;`]
    if (entry.spec.form === 'directory')
      return [`    ${names}) compopt -o filenames; COMPREPLY=($(compgen -d -- "$current")); return ;;`]
    return takesValue(entry) ? [`    ${names}) return ;;`] : []
  })
  const words = (entries: readonly Entry[]): string =>
    entries.flatMap((entry) => longNames(entry).map((name) => (takesValue(entry) ? `${name}=` : name))).join(' ')
  const ofCommands = COMMAND_NAMES.filter((name) => entriesOf(COMMAND_OPTIONS[name]).length > 0).map(
    (name) => `    *" ${name} "*) options+=" ${words(entriesOf(COMMAND_OPTIONS[name]))}" ;;`,
  )
  return `${HEADER} in bash: source <(isonode completion bash)
_isonode() {
  local current="\${COMP_WORDS[COMP_CWORD]}" option="" options="${words(NODE_ENTRIES)}"
  if [[ $current == "=" ]]; then
    option="\${COMP_WORDS[COMP_CWORD - 1]}"
    current=""
  elif [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[COMP_CWORD - 1]} == "=" ]]; then
    option="\${COMP_WORDS[COMP_CWORD - 2]}"
  elif [[ $COMP_CWORD -gt 1 && \${COMP_WORDS[COMP_CWORD - 1]} == -* ]]; then
    option="\${COMP_WORDS[COMP_CWORD - 1]}"
    [[ $option == --help ]] && option=""
  fi
  COMPREPLY=()
  case "$option" in
${cases.join('\n')}
  esac
  local before=" \${COMP_WORDS[*]:1:COMP_CWORD-1} "
  case "$before" in
${ofCommands.join('\n')}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$current"))
    [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace
    return
  fi
  case "\${COMP_WORDS[COMP_CWORD - 1]}" in
${followers()
  .map(([first, list]) => `    ${first}) COMPREPLY=($(compgen -W "${list.join(' ')}" -- "$current")); return ;;`)
  .join('\n')}
  esac
  case "$before" in
    *" blocks import "*) compopt -o filenames; COMPREPLY=($(compgen -f -- "$current")) ;;
    ${FIRST_WORDS.map((word) => `*" ${word} "*`).join('|')}) ;;
    *) COMPREPLY=($(compgen -W "${FIRST_WORDS.join(' ')}" -- "$current")) ;;
  esac
}
complete -F _isonode isonode
`
}

/** Quotes a text for zsh and fish. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

function zshScript(): string {
  const escaped = (text: string): string => text.replace(/[[\]:\\]/g, '\\$&')
  const action = (entry: Entry): string => {
    const values = valuesOf(entry)
    if (values.length > 0) return `(${values.join(' ')})`
    if (entry.spec.form === 'file') return '_files'
    return entry.spec.form === 'directory' ? '_files -/' : ''
  }
  const specs = (entries: readonly Entry[]): string[] =>
    entries.flatMap((entry) => {
      const text = `[${escaped(entry.spec.help)}]`
      return namesOf(entry.name, entry.spec).map((name) => {
        const sign = name.startsWith('--') ? '=' : '+'
        return quoted(
          takesValue(entry)
            ? `${name}${sign}${text}:${escaped(entry.spec.unit ?? 'value')}:${action(entry)}`
            : `${name}${text}`,
        )
      })
    })
  const list = (items: readonly string[]): string => items.map((item) => `    ${item}`).join('\n')
  const commandCases = COMMAND_NAMES.filter((name) => entriesOf(COMMAND_OPTIONS[name]).length > 0).map(
    (name) => `    *" ${name} "*) options+=(\n${list(specs(entriesOf(COMMAND_OPTIONS[name])))}\n    ) ;;`,
  )
  return `#compdef isonode
${HEADER} in zsh: source <(isonode completion zsh), or save it as _isonode in a folder of $fpath
_isonode() {
  local -a options
  options=(
${list(specs(NODE_ENTRIES))}
  )
  case " $words " in
${commandCases.join('\n')}
  esac
  _arguments -s $options '1:command:(${FIRST_WORDS.join(' ')})' '*:argument:->argument'
  [[ $state == argument ]] || return
  case "$words[CURRENT-1]" in
${followers()
  .map(([first, words]) => `    ${first}) compadd ${words.join(' ')} ;;`)
  .join('\n')}
    *) _files ;;
  esac
}
if [[ $funcstack[1] == _isonode ]]; then
  _isonode "$@"
else
  compdef _isonode isonode
fi
`
}

function fishScript(): string {
  const option = (entry: Entry, condition: string): string => {
    const names = namesOf(entry.name, entry.spec)
      .map((name) => (name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`))
      .join(' ')
    const values = valuesOf(entry)
    const { form } = entry.spec
    const value =
      values.length > 0 && takesValue(entry)
        ? ` -xa ${quoted(values.join(' '))}`
        : form === 'file'
          ? ' -rF'
          : form === 'directory'
            ? ` -xa '(__fish_complete_directories)'`
            : takesValue(entry)
              ? ' -x'
              : ''
    return `complete -c isonode${condition} ${names}${value} -d ${quoted(entry.spec.help)}`
  }
  const summaries: Readonly<Record<string, { readonly summary: string }>> = { ...COMMANDS, ...INFO_COMMANDS }
  const first = FIRST_WORDS.map((word) => {
    const text = summaries[word]?.summary ?? `${word} ${secondWords(word).join(', ')}`
    return `complete -c isonode -n __fish_use_subcommand -f -a ${word} -d ${quoted(text)}`
  })
  const second = followers().map(
    ([word, words]) =>
      `complete -c isonode -n ${quoted(`__fish_seen_subcommand_from ${word}`)} -f -a ${quoted(words.join(' '))}`,
  )
  const ofCommands = COMMAND_NAMES.flatMap((name) => {
    const condition = name
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ')
    return entriesOf(COMMAND_OPTIONS[name]).map((entry) => option(entry, ` -n ${quoted(condition)}`))
  })
  const lines = [...NODE_ENTRIES.map((entry) => option(entry, '')), ...first, ...second, ...ofCommands]
  return `${HEADER} in fish: isonode completion fish | source\n${lines.join('\n')}\n`
}
