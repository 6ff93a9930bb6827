/**
 * Validation with the names of graphql-java's rules.
 * @module
 */
import {
  type DocumentNode,
  FieldsOnCorrectTypeRule,
  type GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  KnownFragmentNamesRule,
  KnownTypeNamesRule,
  LoneAnonymousOperationRule,
  NoFragmentCyclesRule,
  NoUndefinedVariablesRule,
  NoUnusedFragmentsRule,
  NoUnusedVariablesRule,
  OverlappingFieldsCanBeMergedRule,
  ProvidedRequiredArgumentsRule,
  ScalarLeafsRule,
  specifiedRules,
  UniqueOperationNamesRule,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  VariablesInAllowedPositionRule,
  validate,
  visit,
} from 'graphql'
import { type ErrorFormat, validationError } from './errorFormat.ts'

/** Number of errors after which a validation ends. */
const MAX_ERRORS = 10

/** Names of rules in graphql-java. Bundlers change the names of functions, so the rules themselves are the keys. */
const TYPES: ReadonlyMap<ValidationRule, string> = new Map([
  [FieldsOnCorrectTypeRule, 'FieldUndefined'],
  [ProvidedRequiredArgumentsRule, 'MissingFieldArgument'],
  [ValuesOfCorrectTypeRule, 'WrongType'],
  [KnownArgumentNamesRule, 'UnknownArgument'],
  [ScalarLeafsRule, 'SubselectionRequired'],
  [KnownTypeNamesRule, 'UnknownType'],
  [KnownFragmentNamesRule, 'UndefinedFragment'],
  [NoUnusedFragmentsRule, 'UnusedFragment'],
  [NoFragmentCyclesRule, 'FragmentCycle'],
  [NoUndefinedVariablesRule, 'UndefinedVariable'],
  [NoUnusedVariablesRule, 'UnusedVariable'],
  [KnownDirectivesRule, 'UnknownDirective'],
  [OverlappingFieldsCanBeMergedRule, 'FieldsConflict'],
  [LoneAnonymousOperationRule, 'LoneAnonymousOperationViolation'],
  [UniqueOperationNamesRule, 'DuplicateOperationName'],
  [VariablesInAllowedPositionRule, 'VariableTypeMismatch'],
])

/** @returns no errors for a valid document */
export function validationErrors(
  schema: GraphQLSchema,
  document: DocumentNode,
  format: ErrorFormat,
): readonly GraphQLFormattedError[] {
  const errors = validate(schema, document, specifiedRules, { maxErrors: MAX_ERRORS })
  if (errors.length === 0) return []
  const rules = format.profile === 'geth' ? new Map<string, ValidationRule>() : rulesOf(schema, document)
  return errors.map((error) => {
    const rule = rules.get(keyOf(error))
    const type = rule && TYPES.get(rule)
    return validationError(error, type, detailOf(error, type, document), pathOf(error, document), format)
  })
}

/** The rule of each error; only errors need it, so a valid document is visited once. */
function rulesOf(schema: GraphQLSchema, document: DocumentNode): ReadonlyMap<string, ValidationRule> {
  const rules = new Map<string, ValidationRule>()
  for (const rule of specifiedRules) {
    for (const error of validate(schema, document, [rule], { maxErrors: MAX_ERRORS })) rules.set(keyOf(error), rule)
  }
  return rules
}

function keyOf({ message, positions = [] }: GraphQLError): string {
  return `${positions.join(',')} ${message}`
}

/** The message in graphql-java's words, where clients are known to read it. */
function detailOf({ message, nodes = [] }: GraphQLError, type: string | undefined, document: DocumentNode): string {
  const names = [...message.matchAll(/"([^"]*)"/g)].map((match) => match[1] as string)
  if (type === 'FieldUndefined') return `Field '${names[0]}' in type '${names[1]}' is undefined`
  if (type === 'MissingFieldArgument') return `Missing field argument '${names[1]}'`
  const [node] = nodes
  if (type !== 'WrongType' || node?.kind !== Kind.STRING) return message
  const match = /^Expected value of type "(\w+)!?", found .*?(?:; (.*))?$/s.exec(message)
  const argument = argumentOf(node.loc?.start ?? 0, document)
  const reason = match?.[2] === undefined ? '' : ` - ${match[2]}`
  return `argument '${argument}' with value 'StringValue{value='${node.value}'}' is not a valid '${match?.[1]}'${reason}`
}

/** Names of the argument and of the members of its object that lead to a position: `data.to`. */
function argumentOf(position: number, document: DocumentNode): string {
  const names: string[] = []
  const enter = (node: { readonly name: { readonly value: string } }): void => {
    const { loc } = node as unknown as { readonly loc?: { readonly start: number; readonly end: number } }
    if (loc !== undefined && loc.start <= position && position < loc.end) names.push(node.name.value)
  }
  visit(document, { Argument: enter, ObjectField: enter })
  return names.join('.')
}

/** Names of the fields that lead to an error: `block/account`. */
function pathOf({ positions = [] }: GraphQLError, document: DocumentNode): string {
  const [position] = positions
  if (position === undefined) return ''
  const names: string[] = []
  visit(document, {
    Field: ({ loc, name }) => {
      if (loc !== undefined && loc.start <= position && position < loc.end) names.push(name.value)
    },
  })
  return names.join('/')
}
