/** Compiles the result pages after payment: labelled rows, buttons and error messages. */
import type { Button, Detail, EventConfig, ResultPage } from '../../event/config.ts'
import { getLabel } from '../../event/placeholders-and-answer-texts.ts'
import { toCondition } from './conditions.ts'
import { isCharged } from './fees.ts'
import {
  removeUndefined,
  asList,
  asMap,
  asOptionalText,
  asText,
  asTexts,
  type PlainMap,
} from './read-checked-values.ts'

export function compileResultErrors(errors: PlainMap): EventConfig['results']['errors'] {
  return {
    noOrder: asText(errors.no_order),
    badOrder: asText(errors.bad_order),
    notFound: asText(errors.not_found),
    fetchFailed: asText(errors.fetch_failed),
  }
}

export const EMPTY_PAGE: ResultPage = {
  title: '',
  lookup: 'always',
  details: [],
  reasons: [],
  notes: [],
  buttons: [],
}

export function toPage(
  config: EventConfig,
  page: PlainMap,
  lookup: ResultPage['lookup'],
): ResultPage {
  return {
    title: asText(page.title),
    lookup: (page.lookup as ResultPage['lookup'] | undefined) ?? lookup,
    details: asList(page.details)
      .map((detail) => toDetail(config, detail))
      .filter((detail) => !('show' in detail) || isCharged(config.fees, detail.show)),
    reasons: asTexts(page.reasons),
    notes: asTexts(page.notes),
    buttons: asList(page.buttons).map(asMap).map(toButton),
    ...removeUndefined({
      intro: asOptionalText(page.intro),
      notesTitle: asOptionalText(page.notes_title),
    }),
  }
}

function toDetail(config: EventConfig, detail: unknown): Detail {
  if (typeof detail === 'string') return { show: detail, label: getLabel(config, detail) }
  const value = asMap(detail)
  const when = value.when === undefined ? {} : { when: toCondition(value.when) }
  if (value.show === undefined)
    return { text: asText(value.text), label: asText(value.label), ...when }
  return {
    show: asText(value.show),
    label: asOptionalText(value.label) ?? getLabel(config, asText(value.show)),
    ...when,
    ...(value.as === 'words' ? { as: 'words' as const } : {}),
  }
}

export function toButton(button: PlainMap): Button {
  if (button.go !== undefined) return { label: asText(button.label), go: asText(button.go) }
  return button.mail !== undefined
    ? { label: asText(button.label), mail: asText(button.mail) }
    : { label: asText(button.label), do: button.do === 'print' ? 'print' : 'receipt' }
}
