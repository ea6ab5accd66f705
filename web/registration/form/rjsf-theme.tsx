/**
 * The RJSF form component: the MUI theme of RJSF with our own replacements.
 * Imported piece by piece, so that nothing unused is loaded. Each replacement states at its
 * definition what the theme lacks; docs/architecture/form.md lists them all.
 */
import { withTheme } from '@rjsf/core'
import TextWidget from '@rjsf/core/lib/components/widgets/TextWidget.js'
import TextareaWidget from '@rjsf/mui/lib/TextareaWidget/TextareaWidget.js'
import type { RegistryWidgetsType } from '@rjsf/utils'
import type { RawAnswers } from '../../../engine/index.ts'
import { ChoiceRows, YesNo } from '../fields/radio-choices.tsx'
import { Input, List, SwitchAnswer } from '../fields/text-select-switch-inputs.tsx'
import { Hint, Message, Question } from '../fields/field-layout.tsx'
import { Sheet } from './form-sections.tsx'
import type { LaterWay, FieldWidget } from '../fields/choose-field-widget.ts'
import { Upload } from '../uploads/upload-field.tsx'

const widgets = {
  line: TextWidget,
  lines: TextareaWidget,
  'yes-no': YesNo,
  switch: SwitchAnswer,
  file: Upload,
  rows: ChoiceRows,
  list: List,
} satisfies Record<Exclude<FieldWidget, LaterWay>, unknown>

export const Form = withTheme<RawAnswers>({
  templates: {
    BaseInputTemplate: Input,
    // Our schema's descriptions are for other clients; the form shows hints.
    DescriptionFieldTemplate: () => null,
    FieldHelpTemplate: Hint,
    FieldErrorTemplate: Message,
    FieldTemplate: Question,
    ObjectFieldTemplate: Sheet,
  },
  widgets: widgets as unknown as RegistryWidgetsType<RawAnswers>,
} as Parameters<typeof withTheme<RawAnswers>>[0])
