/** Compiles the result pages after payment: rows with labels, buttons, message for an invalid order. */
import type { Button, Detail, EventConfig, ResultPage } from '../../event/config.ts'
import { getLabel } from '../../event/placeholders-and-answer-texts.ts'
import { toCondition } from './conditions.ts'
import { isCharged } from './fees.ts'
import {
  removeUndefined,
  list,
  map,
  optionalText,
  text,
  texts,
  type PlainMap,
} from './read-checked-values.ts'

export function resultErrors(errors: PlainMap): EventConfig['results']['errors'] {
  return {
    noOrder: text(errors.no_order),
    badOrder: text(errors.bad_order),
    notFound: text(errors.not_found),
    fetchFailed: text(errors.fetch_failed),
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
    title: text(page.title),
    lookup: (page.lookup as ResultPage['lookup'] | undefined) ?? lookup,
    details: list(page.details)
      .map((detail) => toDetail(config, detail))
      .filter((detail) => !('show' in detail) || isCharged(config.fees, detail.show)),
    reasons: texts(page.reasons),
    notes: texts(page.notes),
    buttons: list(page.buttons).map(map).map(toButton),
    ...removeUndefined({
      intro: optionalText(page.intro),
      notesTitle: optionalText(page.notes_title),
    }),
  }
}

function toDetail(config: EventConfig, detail: unknown): Detail {
  if (typeof detail === 'string') return { show: detail, label: getLabel(config, detail) }
  const value = map(detail)
  const when = value.when === undefined ? {} : { when: toCondition(value.when) }
  if (value.show === undefined) return { text: text(value.text), label: text(value.label), ...when }
  return {
    show: text(value.show),
    label: optionalText(value.label) ?? getLabel(config, text(value.show)),
    ...when,
    ...(value.as === 'words' ? { as: 'words' as const } : {}),
  }
}

export function toButton(button: PlainMap): Button {
  if (button.go !== undefined) return { label: text(button.label), go: text(button.go) }
  return button.mail !== undefined
    ? { label: text(button.label), mail: text(button.mail) }
    : { label: text(button.label), do: button.do === 'print' ? 'print' : 'receipt' }
}
