{{- define "service.name" -}}
{{- printf "%s-%s" .root.Release.Name .component | trunc 63 | trimSuffix "-" -}}
{{- end }}

{{- define "service.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "service.labels" -}}
{{ include "service.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "service.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* The address of the database has its password by reference: Kubernetes puts the variable in. */}}
{{- define "service.database" -}}
{{- $postgresql := .root.Values.postgresql -}}
- name: DATABASE_PASSWORD
  valueFrom:
    secretKeyRef: { name: {{ index .root.Values.secrets .component }}, key: DATABASE_PASSWORD }
- name: DATABASE_URL
  value: {{ printf "postgres://%s:$(DATABASE_PASSWORD)@%s:%v/%s?%s" (index $postgresql.users .component) (required "postgresql.host is the address of the database" $postgresql.host) $postgresql.port $postgresql.database $postgresql.parameters | quote }}
{{- end }}

{{- define "service.temporal" -}}
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address is host:port of the Temporal server" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- end }}

{{/* Settings by their names. */}}
{{- define "service.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* The variables that APIs and workers share. */}}
{{- define "service.shared" -}}
{{ include "service.database" . }}
{{ include "service.temporal" .root }}
- name: HOST
  value: 0.0.0.0
- name: METRICS_HOST
  value: 0.0.0.0
- name: METRICS_PORT
  value: "9464"
{{- if .root.Values.promoImages.existingClaim }}
- name: PROMO_IMAGE_FOLDER
  value: /promo-images
{{- end }}
{{- if .root.Values.archive.existingClaim }}
- name: ARCHIVE_FOLDER
  value: /archive
{{- end }}
{{- include "service.settings" .root.Values.settings }}
{{- end }}

{{/* As the container of docker-compose.yml: without rights, and nothing is written. 1000 is `node` of the image. */}}
{{- define "service.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "service.containerSecurity" -}}
securityContext:
  readOnlyRootFilesystem: true
  allowPrivilegeEscalation: false
  capabilities: { drop: [ALL] }
{{- end }}

{{/* What every pod has, before its containers. */}}
{{- define "service.pod" -}}
serviceAccountName: {{ include "service.name" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{ include "service.podSecurity" . }}
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .root.Values.nodeSelector }}
nodeSelector: {{ toJson . }}
{{- end }}
{{- with .root.Values.tolerations }}
tolerations: {{ toJson . }}
{{- end }}
{{- end }}

{{/* Pods of a component stand on several nodes, where there are several. */}}
{{- define "service.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels: {{- include "service.selector" . | nindent 8 }}
{{- end }}

{{/* Files of a container, if there are any; APIs and workers have all. */}}
{{- define "service.mounts" -}}
{{- $images := and .hasFiles .root.Values.promoImages.existingClaim -}}
{{- $archive := and .hasFiles .root.Values.archive.existingClaim -}}
{{- if or $images $archive .root.Values.secrets.certificates }}
volumeMounts:
{{- if .root.Values.secrets.certificates }}
  - { name: certificates, mountPath: /run/secrets, readOnly: true }
{{- end }}
{{- if $images }}
  - { name: promo-images, mountPath: /promo-images, readOnly: true }
{{- end }}
{{- if $archive }}
  - { name: archive, mountPath: /archive, readOnly: false }
{{- end }}
{{- end }}
{{- end }}

{{- define "service.volumes" -}}
{{- $images := and .hasFiles .root.Values.promoImages.existingClaim -}}
{{- $archive := and .hasFiles .root.Values.archive.existingClaim -}}
{{- if or $images $archive .root.Values.secrets.certificates }}
volumes:
{{- with .root.Values.secrets.certificates }}
  - name: certificates
    secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- with $images }}
  - name: promo-images
    persistentVolumeClaim: { claimName: {{ . }}, readOnly: true }
{{- end }}
{{- with $archive }}
  - name: archive
    persistentVolumeClaim: { claimName: {{ . }} }
{{- end }}
{{- end }}
{{- end }}

{{/*
A process has begun when it is ready for the first time; a restart mends no database. A check of what is away answers
after 2 seconds.
*/}}
{{- define "service.probes" -}}
startupProbe:
  httpGet: { path: /health/ready, port: health }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 60
readinessProbe:
  httpGet: { path: /health/ready, port: health }
  periodSeconds: 2
  timeoutSeconds: 3
  failureThreshold: 2
livenessProbe:
  httpGet: { path: /health/live, port: health }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
{{- end }}

{{- define "service.disruptionBudget" -}}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ include "service.name" . }}
  labels: {{- include "service.labels" . | nindent 4 }}
spec:
  {{- toYaml .budget | nindent 2 }}
  selector:
    matchLabels: {{- include "service.selector" . | nindent 6 }}
{{- end }}

{{/* The beginning of an autoscaler; further metrics may follow. */}}
{{- define "service.autoscaler" -}}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ include "service.name" . }}
  labels: {{- include "service.labels" . | nindent 4 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {{ include "service.name" . }}
  minReplicas: {{ .scaling.minReplicas }}
  maxReplicas: {{ .scaling.maxReplicas }}
  behavior:
    # Not for every dent of the load: a worker that stops hands its workflows to others.
    scaleDown: { stabilizationWindowSeconds: 600 }
  metrics:
    - type: Resource
      resource:
        name: cpu
        target: { type: Utilization, averageUtilization: {{ .scaling.cpuUtilization }} }
{{- end }}

{{/* A name that stands for the pods of a component. */}}
{{- define "service.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "service.name" . }}
  labels: {{- include "service.labels" . | nindent 4 }}
spec:
  type: {{ .service.type }}
  selector: {{- include "service.selector" . | nindent 4 }}
{{- end }}

{{/* The beginning of a policy; the rules of both directions follow. */}}
{{- define "service.policy" -}}
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ include "service.name" . }}
  labels: {{- include "service.labels" . | nindent 4 }}
spec:
  podSelector:
    matchLabels: {{- include "service.selector" . | nindent 6 }}
  policyTypes: [Ingress, Egress]
{{- end }}

{{- define "service.names" -}}
- ports:
    - { port: 53, protocol: UDP }
    - { port: 53, protocol: TCP }
{{- end }}

{{- define "service.servers" -}}
- ports:
    - { port: {{ .Values.postgresql.port }}, protocol: TCP }
  {{- with .Values.networkPolicies.postgresqlTo }}
  to: {{ toJson . }}
  {{- end }}
- ports:
    - { port: {{ .Values.temporal.address | splitList ":" | last }}, protocol: TCP }
  {{- with .Values.networkPolicies.temporalTo }}
  to: {{ toJson . }}
  {{- end }}
{{- end }}

{{- define "service.metricsIngress" -}}
- ports:
    - { port: metrics, protocol: TCP }
  {{- with .Values.networkPolicies.metricsFrom }}
  from: {{ toJson . }}
  {{- end }}
{{- end }}
