/** Returns the resources of a kind. */
export function ofKind(resources, kind) {
  return resources.filter((each) => each.kind === kind);
}

/** Returns the pod templates by the name of their resource. */
export function podTemplates(resources) {
  const templateOf = {
    Deployment: (spec) => spec.template,
    CronJob: (spec) => spec.jobTemplate.spec.template,
  };
  return new Map(
    Object.entries(templateOf).flatMap(([kind, find]) =>
      ofKind(resources, kind).map(({ metadata, spec }) => [`${kind} ${metadata.name}`, find(spec)]),
    ),
  );
}

/** Whether labels match all labels of a selector. */
export function matches(selector, labels = {}) {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
