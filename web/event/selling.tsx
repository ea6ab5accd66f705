/** The page of an event that sells more than a registration, or asks for more than one answer at a time. */
import type { RegistryWidgetsType } from '@rjsf/utils'
import { categoryOf } from '../../engine/index.ts'
import type { RawAnswers } from '../../engine/index.ts'
import { billRows } from '../shared/bill-rows.tsx'
import { approvalNotes, sendOf } from './approval.ts'
import { byBill, marksOf, notesOf } from './bill.ts'
import { Boxes, Consent } from './boxes.tsx'
import { EventPage } from './index.tsx'
import type { EventPageProps } from './index.tsx'
import { Menu } from './menu.tsx'
import type { More } from './more.ts'
import { Beside } from './outside.tsx'
import { Paged } from './pages.tsx'
import { ListField, People, PersonBox, uiOfAll } from './people.tsx'
import { askedBy, AskedAgain } from './refused.tsx'

/** The whole of what a form may need. */
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
  marksOf: (event, tariff, answers) => marksOf(event, tariff, answers, categoryOf(event, answers)),
}

export default function SellingPage(props: EventPageProps) {
  return <EventPage {...props} more={SELLING} />
}
