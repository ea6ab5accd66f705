/**
 * Validators for the JSON Schemas of event and shared files; each returns the errors of a value.
 *
 * In this file, ajv compiles a schema on first use. Browser pages may not compile code, and every server command would
 * compile the schemas again. So both builds replace this file with the same functions, compiled in advance
 * (schemas/precompiled.ts).
 */
import { Ajv, type ErrorObject, type Options } from 'ajv'
import event from '../../../schemas/event.schema.json' with { type: 'json' }
import gateways from '../../../schemas/gateways.schema.json' with { type: 'json' }
import lists from '../../../schemas/lists.schema.json' with { type: 'json' }
import site from '../../../schemas/site.schema.json' with { type: 'json' }
import texts from '../../../schemas/texts.schema.json' with { type: 'json' }
import { memoize } from '../../lib/memoize.ts'
import { listCurrencies } from '../../lib/money.ts'
import { DAY_PATTERN } from '../../lib/time.ts'
import { EMAIL_PATTERN } from '../suggestions/misspelt-addresses.ts'

export const SCHEMAS = { event, lists, gateways, texts, site }
export type Kind = keyof typeof SCHEMAS

/** `parentSchema` is the violated part of the schema; it contains the message. */
export type SchemaError = Pick<
  ErrorObject<string, Readonly<Record<string, unknown>>>,
  'keyword' | 'instancePath' | 'params' | 'propertyName' | 'data'
> & { readonly parentSchema?: Readonly<Record<string, unknown>> }

/** Returns every error of a value, in the order of the schema; empty if it is valid. */
export const findSchemaErrors = (kind: Kind, value: unknown): readonly SchemaError[] => {
  const validate = compileValidator(kind)
  return validate(value) ? [] : (validate.errors ?? [])
}

const getCompiler = memoize((_: 'ours') => createAjv())
const compileValidator = memoize((kind: Kind) =>
  getCompiler('ours').compile<unknown>(SCHEMAS[kind]),
)

/**
 * Creates ajv with the options that our schemas need. By default the generated code is not optimised, because it runs
 * only once or twice. The code for pages is optimised.
 */
export function createAjv(code: Options['code'] = { optimize: false }): Ajv {
  const ajv = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: true,
    messages: false,
    inlineRefs: false,
    // A test checks the schemas against the meta-schema, so they are not checked again here.
    validateSchema: false,
    code,
  })
  ajv.addFormat('date', new RegExp(DAY_PATTERN, 'u'))
  ajv.addFormat('email', new RegExp(EMAIL_PATTERN, 'u'))
  ajv.addFormat('currency', new RegExp(`^(?:${listCurrencies().join('|')})$`, 'u'))
  // Keywords for messages, with the names that editors use.
  ajv.addVocabulary(['errorMessage', 'patternErrorMessage'])
  // Documents the names that a condition may use.
  ajv.addVocabulary(['names'])
  return ajv
}
