import { awsAuth, awsDomain, awsSettings, provider, type Settings, schema, setting } from 'portcullis/sdk';

const header = schema.Optional(setting({ pattern: '^[\\x20-\\x7e]{1,1024}$' }));

/** Headers of `InvokeEndpoint` by the settings that fill them. */
const headers: Readonly<Record<string, string>> = {
  amznSagemakerCustomAttributes: 'x-amzn-sagemaker-custom-attributes',
  amznSagemakerTargetModel: 'x-amzn-sagemaker-target-model',
  amznSagemakerTargetVariant: 'x-amzn-sagemaker-target-variant',
  amznSagemakerTargetContainerHostname: 'x-amzn-sagemaker-target-container-hostname',
  amznSagemakerInferenceId: 'x-amzn-sagemaker-inference-id',
  amznSagemakerEnableExplanations: 'x-amzn-sagemaker-enable-explanations',
  amznSagemakerInferenceComponent: 'x-amzn-sagemaker-inference-component',
  amznSagemakerSessionId: 'x-amzn-sagemaker-session-id',
  amznSagemakerModelName: 'x-amzn-sagemaker-model-name',
};

function given(settings: Settings): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, wire]) => {
      const value = settings[name];
      return [wire, typeof value === 'string' ? value : undefined];
    }),
  );
}

/**
 * Endpoints of Amazon SageMaker, whose formats are those of the models on them: requests pass as they are, signed.
 * `POST /v1/proxy/endpoints/NAME/invocations`
 * https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
 */
export default provider({
  settings: schema.Object({
    ...awsSettings,
    amznSagemakerCustomAttributes: header,
    amznSagemakerTargetModel: header,
    amznSagemakerTargetVariant: header,
    amznSagemakerTargetContainerHostname: header,
    amznSagemakerInferenceId: header,
    amznSagemakerEnableExplanations: header,
    amznSagemakerInferenceComponent: header,
    amznSagemakerSessionId: header,
    amznSagemakerModelName: header,
  }),
  base: ({ awsRegion }) => `https://runtime.sagemaker.${awsRegion}.${awsDomain(String(awsRegion))}`,
  auth: awsAuth({ service: 'sagemaker' }),
  headers: ({ settings }) => given(settings),
  endpoints: { proxy: { path: '' } },
});
