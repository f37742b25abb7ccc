//go:build !cgo

package ort

// The slots of OrtApi that are called, in the order of onnxruntime_c_api.h; TestSlots compares them with the header of the wrapper.
const (
	slotGetErrorMessage                             = 2
	slotCreateEnv                                   = 3
	slotDisableTelemetryEvents                      = 6
	slotCreateSession                               = 7
	slotCreateSessionFromArray                      = 8
	slotRun                                         = 9
	slotCreateSessionOptions                        = 10
	slotSetSessionExecutionMode                     = 13
	slotEnableProfiling                             = 14
	slotEnableMemPattern                            = 16
	slotDisableMemPattern                           = 17
	slotSetSessionGraphOptimizationLevel            = 23
	slotSetIntraOpNumThreads                        = 24
	slotSetInterOpNumThreads                        = 25
	slotSessionGetInputCount                        = 30
	slotSessionGetOutputCount                       = 31
	slotSessionGetInputTypeInfo                     = 33
	slotSessionGetOutputTypeInfo                    = 34
	slotSessionGetInputName                         = 36
	slotSessionGetOutputName                        = 37
	slotCreateRunOptions                            = 39
	slotRunOptionsSetTerminate                      = 46
	slotCreateTensorWithDataAsOrtValue              = 49
	slotGetTensorMutableData                        = 51
	slotCastTypeInfoToTensorInfo                    = 55
	slotGetOnnxTypeFromTypeInfo                     = 56
	slotGetTensorElementType                        = 60
	slotGetDimensionsCount                          = 61
	slotGetDimensions                               = 62
	slotGetTensorTypeAndShape                       = 65
	slotCreateCpuMemoryInfo                         = 69
	slotAllocatorFree                               = 76
	slotGetAllocatorWithDefaultOptions              = 78
	slotReleaseStatus                               = 93
	slotReleaseSession                              = 95
	slotReleaseValue                                = 96
	slotReleaseRunOptions                           = 97
	slotReleaseTypeInfo                             = 98
	slotReleaseTensorTypeAndShapeInfo               = 99
	slotReleaseSessionOptions                       = 100
	slotSessionGetModelMetadata                     = 111
	slotModelMetadataGetProducerName                = 112
	slotModelMetadataGetGraphName                   = 113
	slotModelMetadataGetDomain                      = 114
	slotModelMetadataGetDescription                 = 115
	slotModelMetadataLookupCustomMetadataMap        = 116
	slotModelMetadataGetVersion                     = 117
	slotReleaseModelMetadata                        = 118
	slotModelMetadataGetCustomMetadataMapKeys       = 123
	slotGetAvailableProviders                       = 125
	slotReleaseAvailableProviders                   = 126
	slotAddSessionConfigEntry                       = 130
	slotSessionOptionsAppendExecutionProviderCUDAV2 = 204
	slotCreateCUDAProviderOptions                   = 205
	slotUpdateCUDAProviderOptions                   = 206
	slotReleaseCUDAProviderOptions                  = 208
	slotTensorTypeAndShapeHasShape                  = 390
)
