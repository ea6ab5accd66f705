/**
 * The JSON Schemas of our files, each as a function that says what of a value does not fit. Here ajv
 * compiles a schema when it is first needed. A browser's page may not compile anything, so the web
 * build puts the same functions, compiled beforehand, in the place of this file (schemas/precompiled.ts).
 */
import { Ajv, type ErrorObject, type Options } from 'ajv'
import event from '../../../schemas/event.schema.json' with { type: 'json' }
import gateways from '../../../schemas/gateways.schema.json' with { type: 'json' }
import lists from '../../../schemas/lists.schema.json' with { type: 'json' }
import site from '../../../schemas/site.schema.json' with { type: 'json' }
import texts from '../../../schemas/texts.schema.json' with { type: 'json' }
import { remember } from '../../lib/memoize.ts'
import { DAY_PATTERN } from '../../lib/time.ts'
import { MAIL_PATTERN } from '../suggestions/addresses.ts'

export const SCHEMAS = { event, lists, gateways, texts, site }
export type Kind = keyof typeof SCHEMAS

/** `parentSchema` is the part of the schema that does not hold; it carries the words for it. */
export type SchemaError = Pick<
  ErrorObject<string, Readonly<Record<string, unknown>>>,
  'keyword' | 'instancePath' | 'params' | 'propertyName' | 'data'
> & { readonly parentSchema?: Readonly<Record<string, unknown>> }

/** Every error of a value, in the order of the schema; empty when it fits. */
export const errorsOf = (kind: Kind, value: unknown): readonly SchemaError[] => {
  const validate = validatorOf(kind)
  return validate(value) ? [] : (validate.errors ?? [])
}

const compiler = remember((_: 'ours') => ajvOf())
const validatorOf = remember((kind: Kind) => compiler('ours').compile<unknown>(SCHEMAS[kind]))

/** Ajv as our schemas want it. Code that runs once or twice is not worth optimising; what a page loads is. */
export function ajvOf(code: Options['code'] = { optimize: false }): Ajv {
  const made = new Ajv({
    allErrors: true,
    allowUnionTypes: true,
    strictRequired: false,
    verbose: true,
    messages: false,
    inlineRefs: false,
    // A test holds the schemas to the meta-schema, so that nobody else waits for it.
    validateSchema: false,
    code,
  })
  made.addFormat('date', new RegExp(DAY_PATTERN, 'u'))
  made.addFormat('email', new RegExp(MAIL_PATTERN, 'u'))
  // Sentences for what does not hold, under the names by which editors know them.
  made.addVocabulary(['errorMessage', 'patternErrorMessage'])
  return made
}
