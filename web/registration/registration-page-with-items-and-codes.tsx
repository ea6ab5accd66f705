/** The page of an event that sells more than a registration or has list fields. */
import type { RegistryWidgetsType } from '@rjsf/utils'
import { findCategory } from '../../engine/index.ts'
import type { RawAnswers } from '../../engine/index.ts'
import { billRows } from '../ui/payment/bill-rows.tsx'
import { approvalNotes, sendOf } from './approval-notes.ts'
import { byBill, marksOf, notesOf } from './price/itemised-price.ts'
import { Boxes, Consent } from './fields/checkboxes.tsx'
import { EventPage } from './registration-page.tsx'
import type { EventPageProps } from './registration-page.tsx'
import { Menu } from './fields/dropdown-menu.tsx'
import type { More } from './form/form-extensions.ts'
import { Beside } from './price/live-pricing-context.tsx'
import { Paged } from './form/multi-page-form.tsx'
import { ListField, People, PersonBox, uiOfAll } from './fields/people-list.tsx'
import { askedBy, AskedAgain } from './submit-anyway-dialog.tsx'

/** All extensions of the form. */
export const SELLING: More = {
  drawing: {
    fields: { ArrayField: ListField },
    widgets: {
      boxes: Boxes,
      consent: Consent,
      menu: Menu,
    } as unknown as RegistryWidgetsType<RawAnswers>,
    templates: { ArrayFieldTemplate: People, ArrayFieldItemTemplate: PersonBox },
  } as More['drawing'],
  uiOf: uiOfAll,
  pricing: byBill,
  rows: billRows,
  rowsNameCategory: true,
  notesOf: (event, answers, left) => [
    ...notesOf(event, answers, left),
    ...approvalNotes(event, answers),
  ],
  sendOf,
  Beside,
  Paged,
  askedBy,
  AskedAgain,
  marksOf: (event, tariff, answers) =>
    marksOf(event, tariff, answers, findCategory(event, answers)),
}

export default function SellingPage(props: EventPageProps) {
  return <EventPage {...props} more={SELLING} />
}
