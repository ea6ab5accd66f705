/** Checks EV512, EV513: texts that repeat the shared default, and misspelt `none`. */
import { getValueAt } from '../../../lib/result.ts'
import { canBeMalformed } from '../../../answers/field-types.ts'
import { INVALID_TEXTS } from '../../compile/form.ts'
import type { Check, Model } from '../../checked-file.ts'
import type { Draft, SharedName } from '../../finding.ts'
import { suggestName } from '../../suggestions/nearest-name.ts'
import { join } from '../../syntax/source.ts'

/** Returns the texts of the event file that equal the shared default. */
function findRestatedTexts(
  model: Model,
): readonly { readonly at: string; readonly text: string; readonly shared: string }[] {
  const { file, texts } = model
  const pairTexts = (
    at: string,
    text: unknown,
    shared: string,
  ): readonly { at: string; text: string; shared: string }[] =>
    typeof text === 'string' ? [{ at, text, shared }] : []
  const { summary, without_payment: withoutPayment, failure } = file.form
  return [
    ...(['title', 'empty', 'button', 'busy'] as const).flatMap((key) =>
      pairTexts(`form.summary.${key}`, summary?.[key], `form.summary.${key}`),
    ),
    ...(['notice', 'alert'] as const).flatMap((key) =>
      pairTexts(
        `form.without_payment.${key}`,
        withoutPayment?.[key],
        `form.without_payment.${key}`,
      ),
    ),
    ...pairTexts('form.failure', failure, 'form.failure'),
    ...model.fields.flatMap(({ raw, path, field }) => [
      ...pairTexts(join(path, 'required'), raw.required, 'form.required'),
      ...(canBeMalformed(field)
        ? pairTexts(join(path, 'invalid'), raw.invalid, `form.invalid.${INVALID_TEXTS[field.type]}`)
        : []),
    ]),
    ...(['no_order', 'bad_order', 'not_found', 'fetch_failed'] as const).flatMap((key) =>
      pairTexts(`results.errors.${key}`, file.results.errors?.[key], `results.${key}`),
    ),
    ...(file.admin?.lists ?? []).flatMap((list, index) => [
      ...pairTexts(`admin.lists.${index}.empty`, list.empty, 'admin.empty'),
      ...pairTexts(`admin.lists.${index}.errors.load`, list.errors?.load, 'admin.load'),
      ...pairTexts(`admin.lists.${index}.errors.export`, list.errors?.export, 'admin.export'),
    ]),
  ].filter(({ text, shared }) => text === getValueAt(texts, shared))
}

const restatesDefaultCheck: Check = {
  slug: 'restates-default',
  severity: 'note',
  why: 'If the same text is written in two places, a later change may be made in only one of them.',
  find: (model) =>
    findRestatedTexts(model).map(({ at, shared }) => ({
      at,
      part: 'entry',
      message: 'the shared texts already contain this text: remove the line',
      related: [
        { at: shared, part: 'entry', in: 'texts' satisfies SharedName, message: 'the shared text' },
      ],
    })),
}

const misspeltNoneCheck: Check = {
  slug: 'misspelt-none',
  severity: 'warning',
  why: '`none` omits the text. A similar word is shown to every delegate.',
  find: (model) =>
    (['notice', 'alert'] as const).flatMap((key): Draft[] => {
      const text = model.file.form.without_payment?.[key]
      const at = `form.without_payment.${key}`
      const span = model.source.getScalar(at)?.span ?? null
      return text === undefined ||
        text === 'none' ||
        text.length > 6 ||
        suggestName(text, ['none']).help === undefined
        ? []
        : [{ at, message: `delegates would see “${text}”`, ...suggestName(text, ['none'], span) }]
    }),
}

export const repeatedDefaultChecks = {
  EV512: restatesDefaultCheck,
  EV513: misspeltNoneCheck,
}
